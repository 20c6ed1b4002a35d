// Empty: with an assembly file the compiler lets clock.go declare a function without a body.
