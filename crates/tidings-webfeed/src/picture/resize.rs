//! Makes photographs smaller.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder as _, ImageEncoder as _, ImageFormat, ImageReader};

/// Of JPEG, where less is seen and more is not.
const QUALITY: u8 = 85;

/// Writes a photograph (JPEG or PNG) with at most so many pixels on its longer side; false, and nothing
/// written, if it has no more, or is of another kind. It is turned as its camera was, and what else the
/// camera noted, such as the place, is left out.
pub(crate) fn resize(
    path: &Path,
    max_pixels: u32,
    to: &mut (impl Write + ?Sized),
) -> Result<bool, image::ImageError> {
    let reader = ImageReader::new(BufReader::new(File::open(path)?)).with_guessed_format()?;
    let Some(format @ (ImageFormat::Jpeg | ImageFormat::Png)) = reader.format() else {
        return Ok(false);
    };
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if width.max(height) <= max_pixels {
        return Ok(false);
    }
    let (orientation, colours) = (decoder.orientation()?, decoder.icc_profile()?);
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    let picture = picture.resize(max_pixels, max_pixels, FilterType::CatmullRom);
    let mut to = BufWriter::new(to);
    if format == ImageFormat::Jpeg {
        let mut encoder = JpegEncoder::new_with_quality(&mut to, QUALITY);
        // One that cannot be kept is left out.
        let _ = colours.map(|colours| encoder.set_icc_profile(colours));
        picture.into_rgb8().write_with_encoder(encoder)?;
    } else {
        let mut encoder = PngEncoder::new(&mut to);
        let _ = colours.map(|colours| encoder.set_icc_profile(colours));
        picture.write_with_encoder(encoder)?;
    }
    to.flush()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;
    use crate::Picture;

    #[test]
    fn a_large_photograph_is_made_smaller_and_a_small_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jpg", "a.png"] {
            let path = folder.path().join(name);
            RgbImage::from_fn(600, 300, |x, y| image::Rgb([x as u8, y as u8, 9]))
                .save(&path)
                .unwrap();
            let mut bytes = Vec::new();
            assert!(resize(&path, 200, &mut bytes).unwrap());
            let picture = Picture::read(&bytes).unwrap();
            assert_eq!((picture.width, picture.height), (200, 100), "{name}");
            let mut bytes = Vec::new();
            assert!(!resize(&path, 600, &mut bytes).unwrap() && bytes.is_empty());
        }
    }
}
