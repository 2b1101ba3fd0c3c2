//! The rankers of products and their file.
use super::ProductSlot;
use maintext_facts::metadata::ranking::rank::{Candidate, Model, Pool};
use maintext_facts::metadata::ranking::rankers::{models_from_bytes, models_to_bytes};
use maintext_reading::model::ModelError;
use std::sync::LazyLock;

const MAGIC: &[u8; 8] = b"mtthings";
/// Version of the layout and of the features' names.
const VERSION: u32 = 4;

/// Slope and shift of the log-odds, fitted to predictions on held-out sites (Platt scaling).
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub struct Calibration {
    pub slope: f32,
    pub shift: f32,
}

impl Default for Calibration {
    fn default() -> Self {
        Calibration { slope: 1.0, shift: 0.0 }
    }
}

impl Calibration {
    /// Returns the calibrated probability.
    pub fn at(self, p: f32) -> f32 {
        let p = p.clamp(1e-6, 1.0 - 1e-6);
        let x = self.slope * maintext_page::num::ln(p / (1.0 - p)) + self.shift;
        1.0 / (1.0 + maintext_page::num::exp(-x))
    }
}

/// A ranker for each field of a product.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct ProductRankers {
    models: Vec<Model>,
    calibrations: Vec<Calibration>,
}

impl ProductRankers {
    /// Builds rankers from a model and a calibration for each of [`ProductSlot::RANKED`].
    pub fn new(models: Vec<Model>, calibrations: Vec<Calibration>) -> ProductRankers {
        ProductRankers { models, calibrations }
    }

    /// Returns the rankers inside the library.
    pub fn shipped() -> &'static ProductRankers {
        static SHIPPED: LazyLock<ProductRankers> = LazyLock::new(|| {
            // Tests load the shipped file, so reading it cannot fail in a release.
            maintext_reading::model::shipped::products().and_then(ProductRankers::from_bytes).unwrap_or_default()
        });
        &SHIPPED
    }

    /// Ranks candidates.
    pub(super) fn rank(&self, slot: ProductSlot, pool: Pool<()>) -> Vec<Candidate> {
        let index = slot as usize;
        let empty = Model::default();
        let model = if index < ProductSlot::RANKED.len() { self.models.get(index) } else { None };
        let model = model.unwrap_or(&empty);
        let calibration = self.calibrations.get(index).copied().unwrap_or_default();
        let mut out: Vec<Candidate> = pool.rank(model).into_iter().map(|c| c.1).collect();
        for c in &mut out {
            c.probability = calibration.at(c.probability);
        }
        out
    }

    /// Returns the rankers as the bytes of a file; equal rankers give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut head = Vec::new();
        for slot in ProductSlot::RANKED {
            let c = self.calibrations.get(slot as usize).copied().unwrap_or_default();
            head.extend(c.slope.to_le_bytes());
            head.extend(c.shift.to_le_bytes());
        }
        let models: Vec<&Model> = self.models.iter().collect();
        models_to_bytes(MAGIC, VERSION, &head, &models)
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`ModelError`] if the bytes are not such a file, have another version, are cut short or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<ProductRankers, ModelError> {
        let count = ProductSlot::RANKED.len();
        let (head, models) = models_from_bytes(MAGIC, VERSION, 8 * count, count, bytes)?;
        let mut calibrations = Vec::new();
        for pair in head.chunks_exact(8) {
            calibrations.push(Calibration { slope: float(&pair[..4])?, shift: float(&pair[4..])? });
        }
        Ok(ProductRankers { models, calibrations })
    }
}

fn float(b: &[u8]) -> Result<f32, ModelError> {
    <[u8; 4]>::try_from(b).map(f32::from_le_bytes).map_err(|_| ModelError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_rankers_are_complete_and_small() {
        let bytes = maintext_reading::model::shipped::products().unwrap();
        assert!(bytes.len() < 100_000, "{}", bytes.len());
        let shipped = ProductRankers::from_bytes(bytes).unwrap();
        assert_eq!((shipped.models.len(), shipped.calibrations.len()), (8, 8));
        assert_eq!(&shipped, ProductRankers::shipped());
        assert_eq!(shipped.to_bytes(), bytes);
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = maintext_reading::model::shipped::products().unwrap();
        assert_eq!(ProductRankers::from_bytes(b"<html>"), Err(ModelError::NotAModel));
        for cut in [0, 8, 20, bytes.len() / 2, bytes.len() - 1] {
            assert!(ProductRankers::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        let mut changed = bytes.to_vec();
        changed[40] ^= 0x55;
        assert!(ProductRankers::from_bytes(&changed).is_err());
    }

    #[test]
    fn a_calibration_keeps_the_order() {
        let c = Calibration { slope: 0.5, shift: -0.2 };
        assert!(c.at(0.9) > c.at(0.6) && (Calibration::default().at(0.3) - 0.3).abs() < 1e-6);
        assert!(c.at(1.0).is_finite() && c.at(0.0).is_finite());
    }
}
