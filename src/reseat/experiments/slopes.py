"""Slopes of power laws."""

from __future__ import annotations

import numpy as np


def log_slope(x, y, error=None):
    """Return the slope of log y on log x, by weighted least squares.

    Points without a positive `error`, that of y, are left out; without any, all points have the
    same weight and the error of the slope comes from the residuals. Both are NaN with fewer than
    three points.
    """
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    if error is not None:
        error = np.asarray(error, dtype=float)
        known = np.isfinite(error) & (error > 0)
        x, y, error = x[known], y[known], error[known]
    log_x, log_y = np.log(x), np.log(y)
    if len(log_x) < 3:
        return np.nan, np.nan
    if error is None:
        coefficients, covariance = np.polyfit(log_x, log_y, 1, cov=True)
        return float(coefficients[0]), float(np.sqrt(covariance[0, 0]))
    # The standard error of a logarithm is the relative error.
    weight = y / error
    coefficients, covariance = np.polyfit(log_x, log_y, 1, w=weight, cov="unscaled")
    return float(coefficients[0]), float(np.sqrt(covariance[0, 0]))
