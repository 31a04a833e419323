"""A thin interpreter of the printed PTX text, independent of the IR it comes from."""
