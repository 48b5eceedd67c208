"""The time kernel: intervals, expressions, question scopes and the overlap index. No I/O, no model, no clock."""
