module tailgate/driver

go 1.19
