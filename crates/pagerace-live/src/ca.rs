//! A certificate authority for one run. Browsers are told to trust it; nothing else does.
//!
//! Keys are ECDSA on P-256, as browsers do not verify Ed25519 (Chromium does not offer it
//! in `signature_algorithms`). All leaf certificates share one key, so that one hash
//! suffices for Chromium's `--ignore-certificate-errors-spki-list`. Left out: revocation,
//! and anything that outlives the process.

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use pagerace_core::Protocol;
use pagerace_transport::quic::ServerKeys;
use pagerace_transport::quic::keys::{Identity, server_tls};
use quinn_proto::crypto::rustls::QuicServerConfig;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, IsCa, KeyPair,
    KeyUsagePurpose, PublicKeyData as _, SerialNumber,
};
use ring::digest::{SHA256, digest};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::server::StoresServerSessions;

use crate::LiveError;
use crate::tcp::{ALPN_H1, ALPN_H2};

/// ALPN identifier of HTTP/3 (RFC 9114, section 3.1).
const ALPN_H3: &[u8] = b"h3";

/// Number of bytes by which an ECDSA signature on P-256 in the handshake exceeds one of
/// Ed25519: a DER sequence of two integers has 70 to 72 bytes instead of 64.
const SIGNATURE_EXCESS: usize = 7;

/// OID of the padding extension, in the arc for examples. No client knows it.
const PADDING_OID: [u64; 3] = [2, 999, 1];

/// Signs the certificates of one run's servers.
pub struct LocalCa {
    issuer: CertifiedIssuer<'static, KeyPair>,
    leaf_key: KeyPair,
    /// Certificate size in bytes that makes the server's handshake flight as long as in
    /// the simulator.
    leaf_size: usize,
}

impl LocalCa {
    /// Creates an authority with new keys.
    ///
    /// # Errors
    /// [`LiveError::Certificate`]: keys or certificates cannot be created.
    pub fn new() -> Result<Self, LiveError> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "Pagerace local CA");
        let reference = Identity::new(&["localhost"]).map_err(|e| certificate(&e))?;
        Ok(Self {
            issuer: CertifiedIssuer::self_signed(params, key()?).map_err(|e| certificate(&e))?,
            leaf_key: key()?,
            leaf_size: reference.certificate().len() - SIGNATURE_EXCESS,
        })
    }

    /// Returns the authority's certificate in PEM, for clients to trust.
    pub fn certificate_pem(&self) -> String {
        let text = BASE64.encode(self.certificate_der());
        let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
        for line in text.as_bytes().chunks(64) {
            pem.push_str(&String::from_utf8_lossy(line));
            pem.push('\n');
        }
        pem + "-----END CERTIFICATE-----\n"
    }

    /// Returns the authority's certificate in DER.
    pub fn certificate_der(&self) -> &[u8] {
        self.issuer.der()
    }

    /// Returns the SHA-256 hashes, in base64, of the public keys of all leaves and of the
    /// authority, as Chromium's `--ignore-certificate-errors-spki-list` expects them.
    pub fn spki_hashes(&self) -> Vec<String> {
        let hash = |key: &KeyPair| BASE64.encode(digest(&SHA256, &key.subject_public_key_info()));
        vec![hash(&self.leaf_key), hash(self.issuer.key())]
    }

    /// Issues a certificate for these host names and addresses. It is padded to the size
    /// that the simulator assumes (see [`Identity`]), if the names leave room.
    ///
    /// # Errors
    /// [`LiveError::Name`] if a name cannot be in a certificate;
    /// [`LiveError::Certificate`] if signing fails.
    pub(crate) fn issue(&self, hosts: &[String]) -> Result<Leaf, LiveError> {
        let bare = self.sign(hosts, None)?;
        // The extension itself takes some bytes: its OID, its tags and its lengths. A length above
        // 255 takes a byte more (DER), so the probe is as long as real padding.
        let probe = 1_000;
        let padded = self.sign(hosts, Some(probe))?;
        let overhead = padded.len().saturating_sub(bare.len() + probe);
        let missing = self.leaf_size.saturating_sub(bare.len() + overhead);
        let certificate = if missing == 0 {
            bare
        } else {
            self.sign(hosts, Some(missing))?
        };
        Ok(Leaf {
            certificate,
            key: PrivatePkcs8KeyDer::from(self.leaf_key.serialize_der()),
        })
    }

    fn sign(
        &self,
        hosts: &[String],
        padding: Option<usize>,
    ) -> Result<CertificateDer<'static>, LiveError> {
        // URLs write IPv6 addresses in brackets.
        let bare = |host: &String| host.trim_matches(['[', ']']).to_owned();
        let names: Vec<String> = hosts.iter().map(bare).collect();
        let mut params = CertificateParams::new(names.clone()).map_err(|_| {
            let bad = |name: &&String| CertificateParams::new(vec![(*name).clone()]).is_err();
            LiveError::Name(names.iter().find(bad).cloned().unwrap_or_default())
        })?;
        if let Some(first) = names.iter().find(|n| n.parse::<IpAddr>().is_err()) {
            let name: String = first.chars().take(64).collect();
            params.distinguished_name.push(DnType::CommonName, name);
        }
        // The length of the serial number is fixed, so that sizes are reproducible. It
        // differs between sets of hosts, as an authority must not reuse a number (RFC
        // 5280, section 4.1.2.2).
        let mut serial = digest(&SHA256, names.join(",").as_bytes())
            .as_ref()
            .to_vec();
        serial.truncate(16);
        serial[0] = serial[0] & 0x3f | 0x40;
        params.serial_number = Some(SerialNumber::from_slice(&serial));
        let padding =
            padding.map(|bytes| CustomExtension::from_oid_content(&PADDING_OID, vec![0; bytes]));
        params.custom_extensions.extend(padding);
        let signed = params.signed_by(&self.leaf_key, &self.issuer);
        Ok(signed.map_err(|e| certificate(&e))?.der().clone())
    }
}

impl std::fmt::Debug for LocalCa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "local CA {}", self.spki_hashes().join(" "))
    }
}

/// A server's certificate and its key.
#[derive(Debug)]
pub struct Leaf {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

impl Leaf {
    /// Returns a TLS configuration for a server on TCP. A server of HTTP/2 also offers
    /// HTTP/1.1; one of HTTP/1.1 offers nothing else. `tickets` allows later connections
    /// to resume.
    ///
    /// # Errors
    /// [`LiveError::Tls`].
    ///
    /// # Panics
    /// If `protocol` is HTTP/3, which does not run over TCP.
    pub fn tcp(
        &self,
        protocol: Protocol,
        tickets: bool,
    ) -> Result<Arc<rustls::ServerConfig>, LiveError> {
        let alpn: &[&[u8]] = match protocol {
            Protocol::H1 => &[ALPN_H1],
            Protocol::H2 => &[ALPN_H2, ALPN_H1],
            Protocol::H3 => panic!("HTTP/3 does not run over TCP"),
        };
        Ok(Arc::new(self.config(alpn, tickets)?))
    }

    /// Returns the keys for a server on QUIC. `tickets` allows later connections to
    /// resume.
    ///
    /// # Errors
    /// [`LiveError::Tls`].
    pub fn quic(&self, tickets: bool) -> Result<ServerKeys, LiveError> {
        let config = self.config(&[ALPN_H3], tickets)?;
        let config = QuicServerConfig::try_from(config).map_err(|e| certificate(&e))?;
        Ok(ServerKeys::Tls(Arc::new(config)))
    }

    fn config(&self, alpn: &[&[u8]], tickets: bool) -> Result<rustls::ServerConfig, LiveError> {
        let chain = vec![self.certificate.clone()];
        let mut config = server_tls(chain, self.key.clone_key(), alpn)?;
        if !tickets {
            // Tickets are sent, as in the simulator, but never accepted.
            config.session_storage = Arc::new(Forgetful);
        }
        Ok(config)
    }
}

/// A session store that claims to store sessions, as rustls sends no tickets otherwise,
/// but never finds one.
#[derive(Debug)]
struct Forgetful;

impl StoresServerSessions for Forgetful {
    fn put(&self, _key: Vec<u8>, _value: Vec<u8>) -> bool {
        true
    }

    fn get(&self, _key: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn take(&self, _key: &[u8]) -> Option<Vec<u8>> {
        None
    }

    fn can_cache(&self) -> bool {
        true
    }
}

fn key() -> Result<KeyPair, LiveError> {
    KeyPair::generate().map_err(|e| certificate(&e))
}

fn certificate(error: &dyn std::fmt::Display) -> LiveError {
    LiveError::Certificate(error.to_string())
}

#[cfg(test)]
mod tests;
