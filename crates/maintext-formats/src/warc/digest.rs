//! Digests of records, such as `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`.
use data_encoding::{BASE32, BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::Digest;

/// Returns whether a block has a digest. `None` if the algorithm or the form of the digest is not in use in archives, which proves nothing.
pub(super) fn matches(block: &[u8], label: &str) -> Option<bool> {
    let (algorithm, value) = label.split_once(':')?;
    let found = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "sha1" => sha1::Sha1::digest(block).to_vec(),
        "sha256" => sha2::Sha256::digest(block).to_vec(),
        _ => return None,
    };
    // A digest has as many digits as the encoding needs for its bytes.
    let encoding = match value.len() {
        length if length == found.len() * 2 => HEXLOWER_PERMISSIVE,
        length if length == BASE32_NOPAD.encode_len(found.len()) => BASE32_NOPAD,
        length if length == BASE32.encode_len(found.len()) => BASE32,
        _ => return None,
    };
    let value = if encoding == HEXLOWER_PERMISSIVE { value.to_owned() } else { value.to_ascii_uppercase() };
    Some(encoding.decode(value.as_bytes()).is_ok_and(|stated| stated == found))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn digests_of_all_forms_are_compared() {
        let abc = [
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
            "SHA-1:vgmt4nsha2awvor6evyxqugcnsonbwe5",
            "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====",
        ];
        for digest in abc {
            assert_eq!(matches(b"abc", digest), Some(true), "{digest}");
            assert_eq!(matches(b"abd", digest), Some(false), "{digest}");
        }
        for digest in ["sha1", "sha1:", "md5:900150983cd24fb0d6963f7d28e17f72", "sha1:A9993E"] {
            assert_eq!(matches(b"abc", digest), None, "{digest}");
        }
    }
}
