module example.org/blis

go 1.21
