// Command bulk is one end of a large HTTP/3 transfer, made of quic-go, for the
// calibration of transfers on an emulated link.
//
//	bulk client ADDRESS CERTIFICATE.der BYTES PACKET
//	bulk server ADDRESS CERTIFICATE.der PACKET
//
// The client asks for /bytes/BYTES and prints one JSON object when the content
// is complete: nanoseconds from the call that connects until the handshake was
// done, the first content came and the last came, and the length.
//
// The server writes its self-signed certificate (DER) for localhost to the path
// given, prints "ready" and serves until its standard input closes.
//
// PACKET is the size of a UDP payload, the same for the whole connection: no
// path MTU discovery. The client grants the windows that Chromium grants.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

const patience = 10 * time.Minute

func main() {
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 5 && args[0] == "client":
		return client(args[1], args[2], args[3], args[4])
	case len(args) == 4 && args[0] == "server":
		return server(args[1], args[2], args[3])
	}
	return errors.New("usage: bulk client ADDRESS CERTIFICATE BYTES PACKET, or bulk server ADDRESS CERTIFICATE PACKET")
}

func config(packet string) (*quic.Config, error) {
	size, err := strconv.ParseUint(packet, 10, 16)
	if err != nil {
		return nil, err
	}
	return &quic.Config{
		InitialPacketSize:              uint16(size),
		DisablePathMTUDiscovery:        true,
		InitialStreamReceiveWindow:     6 << 20,
		MaxStreamReceiveWindow:         6 << 20,
		InitialConnectionReceiveWindow: 15 << 20,
		MaxConnectionReceiveWindow:     15 << 20,
	}, nil
}

type report struct {
	Connected int64 `json:"connected"`
	First     int64 `json:"first"`
	Finished  int64 `json:"finished"`
	Length    int64 `json:"length"`
}

func client(address, certificatePath, bytes, packet string) error {
	quicConfig, err := config(packet)
	if err != nil {
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
	tlsConfig := &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{http3.NextProtoH3}}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	started := time.Now()
	conn, err := quic.DialAddr(ctx, address, tlsConfig, quicConfig)
	if err != nil {
		return err
	}
	var r report
	r.Connected = time.Since(started).Nanoseconds()
	transport := &http3.Transport{DisableCompression: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://localhost/bytes/"+bytes, nil)
	if err != nil {
		return err
	}
	response, err := transport.NewClientConn(conn).RoundTrip(request)
	if err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 && r.Length == 0 {
			r.First = time.Since(started).Nanoseconds()
		}
		r.Length += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	r.Finished = time.Since(started).Nanoseconds()
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	return conn.CloseWithError(0, "")
}

func server(address, certificatePath, packet string) error {
	quicConfig, err := config(packet)
	if err != nil {
		return err
	}
	certificate, err := makeIdentity(certificatePath)
	if err != nil {
		return err
	}
	conn, err := net.ListenPacket("udp4", address)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	server := http3.Server{
		Handler:    http.HandlerFunc(serve),
		TLSConfig:  http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
		QUICConfig: quicConfig,
	}
	return server.Serve(conn)
}

func serve(w http.ResponseWriter, r *http.Request) {
	size, _ := strings.CutPrefix(r.URL.Path, "/bytes/")
	length, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		http.Error(w, "ask for /bytes/N", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", size)
	chunk := make([]byte, 1<<16)
	for length > 0 {
		n, err := w.Write(chunk[:min(length, int64(len(chunk)))])
		if err != nil {
			return
		}
		length -= int64(n)
	}
}

// makeIdentity makes a fresh key and certificate for localhost.
func makeIdentity(path string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "localhost"},
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().Add(7 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := os.WriteFile(path, der, 0o644); err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
