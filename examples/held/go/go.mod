module example.org/held

go 1.21
