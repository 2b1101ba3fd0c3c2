//! Models from files.
use maintext_core::model::{Model, ModelError, Weights};
use maintext_core::{Options, extract};

#[test]
fn a_model_from_a_file_replaces_the_shipped_one() {
    let html = "<meta name=viewport content='width=device-width'><article><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p></article>";
    let mut model = Model::shipped().unwrap();
    let set = |model: &Model| {
        let mut options = Options::default();
        options.parameters.weights = Some(Weights::from_bytes(&model.to_bytes()).unwrap());
        options
    };
    let shipped = extract(html, &Options::default()).unwrap();
    assert_eq!(extract(html, &set(&model)).unwrap().confidence, shipped.confidence);
    // A model that always predicts failure.
    model.confidence.trees.clear();
    model.confidence.bias = 0.125;
    assert_eq!(extract(html, &set(&model)).unwrap().confidence, Some(0.125));
    let other = Options { method: "line-blocks".into(), ..set(&model) };
    assert!(extract(html, &other).unwrap_err().to_string().contains("no parameter 'model'"));
    assert_ne!(set(&model).parameters, set(&Model::shipped().unwrap()).parameters);
}

#[test]
fn model_files_are_recognised() {
    assert!(Weights::is_file(&Model::shipped().unwrap().to_bytes()) && !Weights::is_file(b"{\"method\": 1}"));
    assert_eq!(Weights::from_bytes(b"{}").unwrap_err(), ModelError::NotAModel);
}
