"""
The parser: recursive descent, one module for each part of the grammar.

Each class adds a part to the one below it: `Cursor` (tokens and errors), expressions,
views, copies, matrix statements, declarations, control flow, and the whole file.
"""
