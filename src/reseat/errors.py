"""The exceptions that reseat raises on purpose: one clear sentence each."""


class ReseatError(Exception):
    """Base of every error that the user can mend; its text names what and how."""


class ConfigError(ReseatError, ValueError):
    """A configuration key or value cannot be used."""


class DataError(ReseatError, ValueError):
    """A data file or array is missing, damaged or not what the model expects."""


class CheckpointError(ReseatError):
    """A checkpoint belongs to another version, configuration or data set."""
