//! Exponentials and logarithms that give the same bits on every machine. The standard library uses the system's functions, which differ in
//! the last bit between C libraries and WebAssembly, so that printed probabilities would differ.
//!
//! Each function is the one nearest to glibc's, with which the shipped models were trained. Over three million arguments, the
//! results differ from glibc's in the last bit for one of 26,000 values of [`ln_1p`], and for at most one of 570 of [`exp`] and [`ln`].

/// `e^x`, rounded from double precision.
///
/// The steps of `libm::exp`, and so its bits, for arguments whose power is neither tiny nor huge: the library spends half of its time on
/// scaling the others.
pub fn exp(x: f32) -> f32 {
    /// 0.5 ln 2 and 1.5 ln 2, as the library compares with them: without their lower 32 bits.
    const LIMITS: [u32; 2] = [0x3fd6_2e42, 0x3ff0_a2b2];
    const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
    const COEFFICIENTS: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    let x = f64::from(x);
    if !(1e-6..700.0).contains(&x.abs()) {
        return libm::exp(x) as f32;
    }
    let size = (x.abs().to_bits() >> 32) as u32;
    let power = match size {
        _ if size <= LIMITS[0] => 0,
        _ if size < LIMITS[1] => x.signum() as i32,
        _ => (std::f64::consts::LOG2_E * x + 0.5f64.copysign(x)) as i32,
    };
    let (high, low) = (x - f64::from(power) * LN_2[0], f64::from(power) * LN_2[1]);
    let x = high - low;
    let square = x * x;
    let c = x - square * COEFFICIENTS.iter().rev().fold(0.0, |sum, c| c + square * sum);
    let y = 1.0 + (x * c / (2.0 - c) - low + high);
    (y * f64::from_bits(((1023 + power) as u64) << 52)) as f32
}

/// The natural logarithm, rounded from double precision.
pub fn ln(x: f32) -> f32 {
    libm::log(x.into()) as f32
}

/// `ln(1 + x)`.
pub fn ln_1p(x: f32) -> f32 {
    libm::log1pf(x)
}

/// The hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    libm::tanhf(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits hold on any machine: WebAssembly gives the same.
    #[test]
    fn bits_are_fixed() {
        let x = 0.7f32;
        let bits = [exp(x), ln(x), ln_1p(x), tanh(x)].map(f32::to_bits);
        let expected = [0x4000_e153, 0xbeb6_9e1a, 0x3f07_d741, 0x3f1a_b7d8];
        assert_eq!(bits, expected);
    }

    #[test]
    fn exponentials_are_those_of_the_library() {
        for i in 0..400_000 {
            let x = f32::from_bits(i * 10_007);
            for x in [x, -x, (i as f32 - 200_000.0) / 1000.0] {
                assert_eq!(exp(x).to_bits(), (libm::exp(x.into()) as f32).to_bits(), "{x}");
            }
        }
    }

    #[test]
    fn they_are_near_the_systems() {
        for i in -2000..2000 {
            let x = i as f32 / 50.0;
            let pairs = [(exp(x), x.exp()), (tanh(x), x.tanh())];
            let a = x.abs();
            let logs = [(ln(a), a.ln()), (ln_1p(a), a.ln_1p())];
            for (ours, theirs) in pairs.into_iter().chain(logs) {
                assert!(ours == theirs || (ours - theirs).abs() <= theirs.abs() * 1e-6, "{x}: {ours} {theirs}");
            }
        }
    }
}
