//! Masks of personal data: the texts that they replace, and the texts that they leave.
use maintext_quality::Mask;

fn masked(text: &str) -> String {
    Mask::all().apply(text).text
}

#[test]
fn mail_addresses() {
    assert_eq!(masked("Mail a.b+c@mail.co.uk!"), "Mail email@example.com!");
    for kept in ["user@localhost", "@handle", "a @ b.de", "3 @ 5.00"] {
        assert_eq!(masked(kept), kept);
    }
}

#[test]
fn card_numbers_need_a_valid_check_digit() {
    for card in
        ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "5555555555554444", "378282246310005"]
    {
        assert_eq!(masked(&format!("Card {card}, please.")), "Card <CARD>, please.", "{card}");
    }
    for kept in
        ["4111 1111 1111 1112", "ISBN 9780306406157", "0000 0000 0000 0000", "id=4111111111111111", "1234567890123456"]
    {
        assert_eq!(masked(kept), kept);
    }
}

#[test]
fn public_addresses_only() {
    assert_eq!(masked("From 8.8.8.8 and 2a00:1450:4001:81b::200e."), "From 192.0.2.1 and 192.0.2.1.");
    for kept in [
        "10.0.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "100.64.0.1",
        "198.51.100.7",
        "169.254.0.1",
        "fe80::1",
        "2001:db8::1",
        "::1",
    ] {
        assert_eq!(masked(kept), kept);
    }
    for kept in ["version 1.2.3.4.5", "at 10:30:15", "std::vec::Vec", "v8.8.8.8", "256.1.1.1"] {
        assert_eq!(masked(kept), kept);
    }
}

#[test]
fn telephone_numbers() {
    for phone in [
        "+44 20 7946 0958",
        "+1 (212) 555-0123",
        "+49-30-1234567",
        "(212) 555-0123",
        "212-555-0123",
        "212.555.0123",
        "+4930123456",
    ] {
        assert_eq!(masked(&format!("Call {phone}.")), "Call <PHONE>.", "{phone}");
    }
}

#[test]
fn dates_prices_and_ids_are_no_telephone_numbers() {
    for kept in [
        "2024-11-24",
        "24.11.2024",
        "11/24/2024",
        "from 1998-2004 to 2010-2015",
        "$212.555.0123",
        "212-555-01234",
        "ISBN 978-0-306-40615-7",
        "order 2125550123",
        "a+1 rating",
        "+5 points",
        "+10 °C",
        "+100 000 km",
        "10 + 20 = 30",
        "1,234,567.89",
        "RFC-212-555-0123",
        "12:30-14:45",
        "pp. 212-555",
        "5.99 + 10.00",
        "(2021) 555-0123",
        "#212-555-0123",
    ] {
        assert_eq!(masked(kept), kept);
    }
}

#[test]
fn kinds_and_words_can_be_chosen() {
    let mut mask = Mask::new(&["email", "ip"]).unwrap();
    mask.email = Some("<$1>".into());
    let out = mask.apply("ann@mail.net 8.8.8.8 (212) 555-0123");
    assert_eq!((out.text.as_str(), out.emails, out.ips, out.phones), ("<$1> 192.0.2.1 (212) 555-0123", 1, 1, 0));
    assert!(Mask::new(&["fax"]).unwrap_err().contains("'fax'"));
}

#[test]
fn long_runs_of_digits_and_signs_are_linear() {
    for pattern in ["1", "a.", "1 ", ":", "@", "+1 ", "a@", "1.", "ann@mail.net "] {
        let time = |n: usize| {
            let text = pattern.repeat(n / pattern.len());
            let start = std::time::Instant::now();
            let _ = Mask::all().apply(&text);
            start.elapsed().as_secs_f64()
        };
        let (small, large) = (time(1 << 17), time(1 << 20));
        assert!(large < 30.0 * small + 0.2, "{pattern:?}: {small} s, {large} s");
    }
}
