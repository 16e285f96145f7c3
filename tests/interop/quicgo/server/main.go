// Command server is an HTTP/3 server made of quic-go, or with the argument h2 an
// HTTP/2 server made of net/http, for the interoperability tests.
//
// It writes its self-signed certificate (DER) to the path given, then prints
// "port N". It serves until its standard input closes.
//
//	/bytes/N   N bytes, byte i is i mod 251
//	/echo      what was sent
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
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

	"github.com/quic-go/quic-go/http3"
)

func main() {
	two := len(os.Args) == 3 && os.Args[2] == "h2"
	if len(os.Args) != 2 && !two {
		log.Fatal("usage: server CERTIFICATE.der [h2]")
	}
	certificate, err := makeIdentity(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if two {
		serveTwo(certificate)
	}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("port", conn.LocalAddr().(*net.UDPAddr).Port)
	endWithInput()
	server := http3.Server{
		Handler:   http.HandlerFunc(serve),
		TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
	}
	log.Fatal(server.Serve(conn))
}

func serveTwo(certificate tls.Certificate) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("port", listener.Addr().(*net.TCPAddr).Port)
	endWithInput()
	server := http.Server{
		Handler:   http.HandlerFunc(serve),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	log.Fatal(server.ServeTLS(listener, "", ""))
}

func endWithInput() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

func serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", "quic-go")
	w.Header().Set("X-Priority", r.Header.Get("Priority"))
	if size, ok := strings.CutPrefix(r.URL.Path, "/bytes/"); ok {
		length, err := strconv.Atoi(size)
		if err != nil {
			http.Error(w, "not a number", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Length", size)
		_, _ = w.Write(pattern(length))
		return
	}
	if r.URL.Path == "/echo" {
		_, _ = io.Copy(w, r.Body)
		return
	}
	http.Error(w, "not here", http.StatusNotFound)
}

func pattern(length int) []byte {
	body := make([]byte, length)
	for i := range body {
		body[i] = byte(i % 251)
	}
	return body
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
