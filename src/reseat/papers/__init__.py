"""Tables, figures and claims of the papers, computed from scores; one package per paper family."""
