// Command loggers is a sink: zap, zerolog and logrus with a file, in the usual format: JSON for zap
// and zerolog, key=value for logrus.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"
	"github.com/sirupsen/logrus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"tailgate/driver"
)

type sink struct {
	log   func(event string)
	close func() error // writes what is queued
}

func (s *sink) Emit(_ int, event []byte) int {
	s.log(string(event))
	return 0
}

func (s *sink) Close() error { return s.close() }

func open(context *driver.Context) (driver.Logger, error) {
	path := context.LogPath
	if context.Options["destination"] == "null" {
		path = os.DevNull
	}
	file, problem := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if problem != nil {
		return nil, problem
	}
	switch kind := context.Options["logger"]; kind {
	case "zap":
		return openZap(zapcore.Lock(file), file.Close), nil
	case "zap_buffered":
		to := zapcore.WriteSyncer(file)
		if path == os.DevNull {
			to = zapcore.AddSync(struct{ io.Writer }{file}) // a device refuses to be synced
		}
		buffer := &zapcore.BufferedWriteSyncer{WS: to}
		return openZap(buffer, buffer.Stop), nil
	case "zerolog":
		return openZerolog(zerolog.New(file), file.Close), nil
	case "zerolog_diode":
		capacity, problem := strconv.Atoi(context.Options["queue_events"])
		ring := diode.NewWriter(file, capacity, 10*time.Millisecond, nil)
		return openZerolog(zerolog.New(ring), ring.Close), problem
	case "logrus":
		log := logrus.New()
		log.SetOutput(file)
		return &sink{func(event string) { log.Info(event) }, file.Close}, nil
	default:
		return nil, fmt.Errorf("there is no logger '%s'", kind)
	}
}

func openZap(to zapcore.WriteSyncer, end func() error) driver.Logger {
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	log := zap.New(zapcore.NewCore(encoder, to, zap.InfoLevel))
	return &sink{func(event string) { log.Info(event) }, end}
}

func openZerolog(log zerolog.Logger, end func() error) driver.Logger {
	log = log.With().Timestamp().Logger()
	return &sink{func(event string) { log.Info().Msg(event) }, end}
}

func main() { driver.Run(open) }
