// Command client is an HTTP/3 client made of quic-go, for the
// interoperability tests.
//
//	client PORT CERTIFICATE.der '[{"path": "/bytes/9", ...}, ...]'
//
// It sends all requests on one connection to 127.0.0.1, in the order given,
// before it reads any response, and prints one JSON object for each response
// when it is complete. A request has a path, and may have a method, a priority
// (the field) and a body.
package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

const timeout = 60 * time.Second

type request struct {
	Path     string `json:"path"`
	Method   string `json:"method"`
	Priority string `json:"priority"`
	Body     string `json:"body"`
}

type report struct {
	Path    string            `json:"path"`
	Status  int               `json:"status"`
	Length  int64             `json:"length"`
	SHA256  string            `json:"sha256"`
	Headers map[string]string `json:"headers"`
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: client PORT CERTIFICATE.der REQUESTS.json")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(port, certificatePath, requestsJSON string) error {
	var requests []request
	if err := json.Unmarshal([]byte(requestsJSON), &requests); err != nil {
		return err
	}
	der, err := os.ReadFile(certificatePath)
	if err != nil {
		return err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	tlsConfig := &tls.Config{
		RootCAs:    roots,
		ServerName: "localhost",
		NextProtos: []string{http3.NextProtoH3},
	}
	conn, err := quic.DialAddr(ctx, "127.0.0.1:"+port, tlsConfig, nil)
	if err != nil {
		return err
	}
	transport := &http3.Transport{DisableCompression: true}
	client := transport.NewClientConn(conn)
	responses := make([]func() (*http.Response, error), len(requests))
	for i, r := range requests {
		if responses[i], err = send(ctx, client, r); err != nil {
			return fmt.Errorf("%s: %w", r.Path, err)
		}
	}
	return receiveAll(requests, responses)
}

// send sends a request and returns what waits for its response. Requests with
// content are sent only then: quic-go sends those no other way.
func send(ctx context.Context, client *http3.ClientConn, r request) (func() (*http.Response, error), error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	message, err := http.NewRequestWithContext(ctx, method, "https://localhost"+r.Path, body)
	if err != nil {
		return nil, err
	}
	if r.Priority != "" {
		message.Header.Set("Priority", r.Priority)
	}
	if body != nil {
		return func() (*http.Response, error) { return client.RoundTrip(message) }, nil
	}
	stream, err := client.OpenRequestStream(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.SendRequestHeader(message); err != nil {
		return nil, err
	}
	return stream.ReadResponse, stream.Close()
}

func receiveAll(requests []request, responses []func() (*http.Response, error)) error {
	var group sync.WaitGroup
	var printing sync.Mutex
	failures := make(chan error, len(responses))
	for i, response := range responses {
		group.Go(func() {
			report, err := receive(requests[i], response)
			if err != nil {
				failures <- fmt.Errorf("%s: %w", requests[i].Path, err)
				return
			}
			printing.Lock()
			defer printing.Unlock()
			_ = json.NewEncoder(os.Stdout).Encode(report)
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func receive(r request, wait func() (*http.Response, error)) (*report, error) {
	response, err := wait()
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	length, err := io.Copy(digest, response.Body)
	if err != nil {
		return nil, err
	}
	headers := make(map[string]string)
	for name := range response.Header {
		headers[strings.ToLower(name)] = response.Header.Get(name)
	}
	return &report{r.Path, response.StatusCode, length, hex.EncodeToString(digest.Sum(nil)), headers}, nil
}
