//! Draws letters on bitmaps without system fonts: an 8 by 8 pixel font (public domain) behind the backend of plotters.
use font8x8::{BASIC_FONTS, LATIN_FONTS, UnicodeFonts};
use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontTransform};

/// Size of a letter in pixels. Letters are not scaled; the plots are designed for this size.
pub(super) const LETTER: u32 = 8;

/// A bitmap that draws its own letters.
pub(super) struct PixelText<'a>(pub BitMapBackend<'a>);

type Failure<'a> = DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>;

impl<'a> DrawingBackend for PixelText<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }
    fn ensure_prepared(&mut self) -> Result<(), Failure<'a>> {
        self.0.ensure_prepared()
    }
    fn present(&mut self) -> Result<(), Failure<'a>> {
        self.0.present()
    }
    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Result<(), Failure<'a>> {
        self.0.draw_pixel(at, color)
    }
    fn draw_line<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, s: &S) -> Result<(), Failure<'a>> {
        self.0.draw_line(a, b, s)
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        s: &S,
        fill: bool,
    ) -> Result<(), Failure<'a>> {
        self.0.draw_rect(a, b, s, fill)
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        s: &S,
    ) -> Result<(), Failure<'a>> {
        self.0.draw_path(path, s)
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        s: &S,
    ) -> Result<(), Failure<'a>> {
        self.0.fill_polygon(path, s)
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, _: &S) -> Result<(u32, u32), Failure<'a>> {
        Ok((LETTER * text.chars().count() as u32, LETTER))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, s: &S, (x, y): BackendCoord) -> Result<(), Failure<'a>> {
        let (width, height) = ((LETTER as usize * text.chars().count()) as i32, LETTER as i32);
        let left = match s.anchor().h_pos {
            HPos::Left => 0,
            HPos::Center => width / 2,
            HPos::Right => width,
        };
        let top = match s.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => height / 2,
            VPos::Bottom => height,
        };
        for (i, c) in text.chars().enumerate() {
            let glyph = BASIC_FONTS.get(c).or_else(|| LATIN_FONTS.get(c)).or_else(|| BASIC_FONTS.get('?'));
            for (row, bits) in glyph.unwrap_or_default().iter().enumerate() {
                for column in (0..8).filter(|b| bits >> b & 1 == 1) {
                    let (dx, dy) = (LETTER as i32 * i as i32 + column - left, row as i32 - top);
                    let at = match s.transform() {
                        FontTransform::None => (x + dx, y + dy),
                        FontTransform::Rotate90 => (x - dy, y + dx),
                        FontTransform::Rotate180 => (x - dx, y - dy),
                        FontTransform::Rotate270 => (x + dy, y - dx),
                    };
                    self.0.draw_pixel(at, s.color())?;
                }
            }
        }
        Ok(())
    }
}
