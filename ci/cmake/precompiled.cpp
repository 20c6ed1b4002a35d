// Its object is empty: the target that compiles the headers needs a unit.
