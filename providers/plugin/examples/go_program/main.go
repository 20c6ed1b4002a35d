// Go's log package as a sink, in a program.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"tailgate/driver"
)

type goLog struct {
	file  *os.File
	log   *log.Logger
	sleep time.Duration
}

func (l *goLog) Emit(_ int, event []byte) int {
	if l.sleep > 0 {
		time.Sleep(l.sleep)
	}
	if l.log.Output(1, string(event)) != nil {
		return 2
	}
	return 0
}

func (l *goLog) Close() error {
	return l.file.Close()
}

func open(context *driver.Context) (driver.Logger, error) {
	sleepUs, err := strconv.Atoi(context.Options["sleep_us"])
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(context.LogPath, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	logger := log.New(file, "", log.LstdFlags|log.Lmicroseconds)
	return &goLog{file, logger, time.Duration(sleepUs) * time.Microsecond}, nil
}

func main() {
	driver.Run(open)
}
