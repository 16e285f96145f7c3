//! TLS of the scan: certificates are judged and written down, and a bad one fails nothing.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use quinn_proto::crypto::rustls::QuicClientConfig;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{
    ClientSessionStore, Resumption, Tls12ClientSessionValue, Tls13ClientSessionValue,
    WebPkiServerVerifier,
};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, NamedGroup, RootCertStore,
    SignatureScheme,
};
use serde::{Deserialize, Serialize};

use crate::ScanError;
use crate::error::one_line;
use crate::journal::digest;

/// The roots that certificates are judged by.
#[derive(Debug)]
pub struct Trust {
    verifier: Arc<WebPkiServerVerifier>,
    provider: Arc<CryptoProvider>,
    /// Digest of the roots.
    pub(crate) digest: String,
}

impl Trust {
    /// Trusts Mozilla's roots, of the version that was compiled in.
    pub fn mozilla() -> Self {
        let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self::new(roots).expect("Mozilla has roots")
    }

    /// Trusts the certificates of a PEM file, and no others.
    ///
    /// # Errors
    /// The file cannot be read, or is no list of certificates.
    pub fn file(file: &Path) -> Result<Self, ScanError> {
        let pem = fs::read(file).map_err(|error| ScanError::at(file, error))?;
        let bad = |problem: String| ScanError::at(file, problem);
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| bad(error.to_string()))?;
        }
        Self::new(roots).ok_or_else(|| bad("has no certificate in PEM format".to_owned()))
    }

    fn new(roots: RootCertStore) -> Option<Self> {
        let provider = Arc::new(ring::default_provider());
        let mut named = Vec::new();
        for root in &roots.roots {
            named.extend_from_slice(&root.subject);
            named.extend_from_slice(&root.subject_public_key_info);
        }
        let roots = Arc::new(roots);
        let builder = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
        Some(Self {
            verifier: builder.build().ok()?,
            provider,
            digest: digest(&named),
        })
    }

    /// Returns the configuration of one connection over TCP.
    pub(crate) fn tcp(self: &Arc<Self>, observer: &Arc<Observer>) -> Arc<ClientConfig> {
        let versions = [&rustls::version::TLS13, &rustls::version::TLS12];
        let mut config = self.config(&versions, observer);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        config.resumption = Resumption::disabled();
        Arc::new(config)
    }

    /// Returns the configuration of connections over QUIC that share tickets.
    pub(crate) fn quic(
        self: &Arc<Self>,
        observer: &Arc<Observer>,
        tickets: &Arc<Tickets>,
    ) -> Arc<QuicClientConfig> {
        let mut config = self.config(&[&rustls::version::TLS13], observer);
        config.alpn_protocols = vec![b"h3".to_vec()];
        config.enable_early_data = true;
        config.resumption = Resumption::store(Arc::clone(tickets) as Arc<dyn ClientSessionStore>);
        let config = QuicClientConfig::try_from(config);
        Arc::new(config.expect("ring has the cipher suite of Initial packets"))
    }

    fn config(
        self: &Arc<Self>,
        versions: &[&'static rustls::SupportedProtocolVersion],
        observer: &Arc<Observer>,
    ) -> ClientConfig {
        ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(versions)
            .expect("ring supports both versions")
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(observer) as Arc<dyn ServerCertVerifier>)
            .with_no_client_auth()
    }
}

/// Properties of a server's certificate chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// `valid`, or the reason why browsers would refuse it.
    pub verdict: String,
    /// Number of certificates.
    pub count: u64,
    /// Bytes of all certificates.
    pub bytes: u64,
}

/// Accepts every certificate, and writes down what it is like.
#[derive(Debug)]
pub(crate) struct Observer {
    trust: Arc<Trust>,
    seen: Mutex<Option<Certificate>>,
}

impl Observer {
    pub(crate) fn new(trust: &Arc<Trust>) -> Arc<Self> {
        Arc::new(Self {
            trust: Arc::clone(trust),
            seen: Mutex::new(None),
        })
    }

    /// Returns the certificate since the last call. A resumed connection has none.
    pub(crate) fn take(&self) -> Option<Certificate> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl ServerCertVerifier for Observer {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.trust.verifier.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let bytes = intermediates.iter().map(|one| one.len()).sum::<usize>() + end_entity.len();
        let certificate = Certificate {
            verdict: match verdict {
                Ok(_) => "valid".to_owned(),
                Err(error) => reason(&error),
            },
            count: intermediates.len() as u64 + 1,
            bytes: bytes as u64,
        };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(certificate);
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.trust.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.trust.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.trust.verifier.supported_verify_schemes()
    }
}

/// Returns the reason why a certificate is refused, as a word where there is one.
fn reason(error: &Error) -> String {
    use CertificateError as E;
    let word = match error {
        Error::InvalidCertificate(reason) => match reason {
            E::Expired | E::ExpiredContext { .. } => "expired",
            E::NotValidYet | E::NotValidYetContext { .. } => "not-yet-valid",
            E::UnknownIssuer => "unknown-issuer",
            E::NotValidForName | E::NotValidForNameContext { .. } => "wrong-name",
            E::BadEncoding => "malformed",
            E::BadSignature => "bad-signature",
            _ => return one_line(&error.to_string(), 120),
        },
        _ => return one_line(&error.to_string(), 120),
    };
    word.to_owned()
}

/// The tickets that one server gave.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    last: Mutex<TicketBox>,
}

#[derive(Debug, Default)]
struct TicketBox {
    ticket: Option<Tls13ClientSessionValue>,
    count: u32,
    early_data: bool,
}

impl Tickets {
    /// Returns the number of tickets so far.
    pub(crate) fn count(&self) -> u32 {
        self.inner().count
    }

    /// Returns true if the last ticket allows early data.
    pub(crate) fn early_data(&self) -> bool {
        self.inner().early_data
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, TicketBox> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        let mut inner = self.inner();
        inner.count = inner.count.saturating_add(1);
        inner.early_data = value.max_early_data_size() > 0;
        inner.ticket = Some(value);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.inner().ticket.take()
    }
}
