"""The models of the families, which `build` of each module places at their start."""
