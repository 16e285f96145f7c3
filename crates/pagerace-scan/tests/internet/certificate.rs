//! A certificate authority and the identities of servers.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, IsCa, KeyPair,
    date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::web::Identity;

pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// The identities that servers may have.
pub struct Identities {
    pub good: Arc<CertifiedKey>,
    pub self_signed: Arc<CertifiedKey>,
    pub expired: Arc<CertifiedKey>,
    pub wrong_name: Arc<CertifiedKey>,
    /// Good, with a chain of about 30 kB.
    pub fat: Arc<CertifiedKey>,
    /// Good, with a chain of more than 200 kB.
    pub giant: Arc<CertifiedKey>,
}

impl Identities {
    pub fn get(&self, identity: Identity) -> &Arc<CertifiedKey> {
        match identity {
            Identity::Good => &self.good,
            Identity::SelfSigned => &self.self_signed,
            Identity::Expired => &self.expired,
            Identity::WrongName => &self.wrong_name,
            Identity::Fat => &self.fat,
            Identity::Giant => &self.giant,
        }
    }
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        let name = "Authority of the test";
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", self.0.der())
    }

    pub fn identities(&self, names: &[String]) -> Identities {
        let good = || CertificateParams::new(names.to_vec()).unwrap();
        let mut expired = good();
        expired.not_before = date_time_ymd(2001, 1, 1);
        expired.not_after = date_time_ymd(2002, 1, 1);
        let other = CertificateParams::new(vec!["other.example".to_owned()]).unwrap();
        let key = KeyPair::generate().unwrap();
        let alone = good().self_signed(&key).unwrap();
        Identities {
            good: self.sign(&good(), &[]),
            self_signed: certified(vec![alone.der().clone()], &key),
            expired: self.sign(&expired, &[]),
            wrong_name: self.sign(&other, &[]),
            fat: self.sign(&good(), &padding(10)),
            giant: self.sign(&good(), &padding(70)),
        }
    }

    fn sign(
        &self,
        params: &CertificateParams,
        more: &[CertificateDer<'static>],
    ) -> Arc<CertifiedKey> {
        let key = KeyPair::generate().unwrap();
        let leaf = params.signed_by(&key, &self.0).unwrap();
        let mut chain = vec![leaf.der().clone()];
        chain.extend_from_slice(more);
        certified(chain, &key)
    }
}

/// Returns a file of PEM (RFC 7468) with these bytes.
pub fn pem(label: &str, der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn certified(chain: Vec<CertificateDer<'static>>, key: &KeyPair) -> Arc<CertifiedKey> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let key = rustls::crypto::ring::sign::any_supported_type(&key).unwrap();
    Arc::new(CertifiedKey::new(chain, key))
}

/// Returns certificates of 3 kB each that lead nowhere.
fn padding(count: usize) -> Vec<CertificateDer<'static>> {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    let filler = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 99999, 1], vec![4; 2800]);
    params.custom_extensions.push(filler);
    let der = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    vec![der.der().clone(); count]
}

/// Returns a configuration of servers with this identity.
pub fn config(key: &Arc<CertifiedKey>, alpn: &[&str], tls12: bool) -> rustls::ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions: &[_] = if tls12 {
        &[&rustls::version::TLS12]
    } else {
        &[&rustls::version::TLS13]
    };
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(Arc::clone(key))));
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    config
}
