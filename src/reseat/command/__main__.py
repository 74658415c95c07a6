"""`python -m reseat.command`, where the console script is not installed."""

from reseat.command.main import main

if __name__ == "__main__":
    raise SystemExit(main())
