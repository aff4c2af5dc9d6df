"""Hold the doors: one public class each, the readable sequence of steps.

Arithmetic, parsing, SQL and wire formats live in the rooms behind them.
"""
