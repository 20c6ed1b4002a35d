module go_log

go 1.19
