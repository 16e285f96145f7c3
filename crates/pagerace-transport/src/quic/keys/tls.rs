//! Real TLS 1.3 by rustls, for live connections and optionally for simulations.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rcgen::{CertificateParams, CustomExtension, KeyPair, PKCS_ED25519};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::{ClientKeys, ServerKeys};

/// The ALPN protocol name of HTTP/3 (RFC 9114, section 3.1).
const ALPN: &[u8] = b"h3";

/// Padding of the certificate in bytes. It gives the server's flight the size of a median
/// QUIC certificate chain in the wild, about 2.3 kB (Nawrocki et al., "On the Interplay
/// between TLS Certificates and QUIC Performance", `CoNEXT` 2022).
const CERTIFICATE_PADDING: usize = 1_850;

/// Error that occurs when TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificate could not be created.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// rustls refused the configuration.
    #[error("cannot set up TLS: {0}")]
    Rustls(#[from] rustls::Error),
    /// The configuration lacks the cipher suite of QUIC's Initial packets.
    #[error("cannot set up TLS: {0}")]
    Suite(#[from] quinn_proto::crypto::rustls::NoInitialCipherSuite),
}

/// A server's freshly generated self-signed certificate and key.
///
/// The certificate uses Ed25519 and a fixed serial number. Unlike that of ECDSA, its
/// encoding always has the same length, so packet sizes are reproducible.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

impl Identity {
    /// Creates a certificate for these host names or addresses.
    ///
    /// # Errors
    /// Returns an error if a name cannot be in a certificate.
    pub fn new(names: &[&str]) -> Result<Self, TlsError> {
        let key = KeyPair::generate_for(&PKCS_ED25519)?;
        let mut params =
            CertificateParams::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())?;
        params.serial_number = Some(1_u64.into());
        // An unknown, non-critical extension from the documentation arc.
        params
            .custom_extensions
            .push(CustomExtension::from_oid_content(
                &[2, 999, 1],
                vec![0; CERTIFICATE_PADDING],
            ));
        let certificate = params.self_signed(&key)?.der().clone();
        Ok(Self {
            certificate,
            key: PrivatePkcs8KeyDer::from(key.serialize_der()),
        })
    }

    /// Returns the certificate in DER, for clients with a configured trust anchor.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Returns the certificate chain, for TLS over other transports.
    pub fn chain(&self) -> Vec<CertificateDer<'static>> {
        vec![self.certificate.clone()]
    }

    /// Returns the private key, for TLS over other transports.
    pub fn key(&self) -> PrivatePkcs8KeyDer<'static> {
        self.key.clone_key()
    }

    /// Returns the keys of a server with this identity.
    ///
    /// # Errors
    /// Returns an error if rustls refuses the certificate.
    pub fn server_keys(&self) -> Result<ServerKeys, TlsError> {
        let config = QuicServerConfig::try_from(server_tls(self.chain(), self.key(), &[ALPN])?)?;
        Ok(ServerKeys::Tls(Arc::new(config)))
    }

    /// Returns the keys of a client that trusts only this identity.
    ///
    /// # Errors
    /// Returns an error if rustls refuses the certificate.
    pub fn client_keys(&self) -> Result<ClientKeys, TlsError> {
        client_keys_trusting(&self.certificate)
    }
}

/// Returns the keys of a client that trusts only this certificate (DER).
///
/// # Errors
/// Returns an error if the certificate is not a valid trust anchor.
pub fn client_keys_trusting(certificate: &[u8]) -> Result<ClientKeys, TlsError> {
    let config = QuicClientConfig::try_from(client_tls(certificate, ALPN)?)?;
    Ok(ClientKeys::Tls(Arc::new(config)))
}

/// Returns the keys of a client that trusts these certificate authorities.
///
/// # Errors
/// Returns an error if rustls refuses the configuration.
pub fn client_keys_with_roots(roots: rustls::RootCertStore) -> Result<ClientKeys, TlsError> {
    let config = QuicClientConfig::try_from(client_tls_with_roots(roots, ALPN)?)?;
    Ok(ClientKeys::Tls(Arc::new(config)))
}

/// Returns the TLS 1.3 configuration of a server that offers the protocols in `alpn`, over
/// any transport.
///
/// # Errors
/// Returns an error if rustls refuses the certificate.
pub fn server_tls(
    chain: Vec<CertificateDer<'static>>,
    key: PrivatePkcs8KeyDer<'static>,
    alpn: &[&[u8]],
) -> Result<rustls::ServerConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::Pkcs8(key))?;
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(config)
}

/// Returns the TLS 1.3 configuration of a client that trusts only this certificate (DER)
/// and speaks the protocol `alpn`, over any transport.
///
/// # Errors
/// Returns an error if the certificate is not a valid trust anchor.
pub fn client_tls(certificate: &[u8], alpn: &[u8]) -> Result<rustls::ClientConfig, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(certificate.to_vec()))?;
    client_tls_with_roots(roots, alpn)
}

/// Returns the TLS 1.3 configuration of a client that trusts these certificates and speaks the
/// protocol `alpn`, over any transport.
///
/// # Errors
/// Returns an error if rustls refuses the configuration.
fn client_tls_with_roots(
    roots: rustls::RootCertStore,
    alpn: &[u8],
) -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![alpn.to_vec()];
    Ok(config)
}
