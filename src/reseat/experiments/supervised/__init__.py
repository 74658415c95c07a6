"""Daumé & Marcu 2005, supervised clustering: tables, figures and claims."""

PAPER = "Daumé & Marcu 2005"
