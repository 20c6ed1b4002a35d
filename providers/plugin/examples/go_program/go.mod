module go_program

go 1.19

require tailgate/driver v0.0.0

replace tailgate/driver => ../../drivers/go
