// Returns for each picture (base64) the shares of its bytes that WebP and AVIF need for one that is as near to
// it: a JPEG or WebP file of the recorded number of bytes per pixel sets the measure, and no more is asked
// than people see, which is the measure for PNG files, too. Nearness is the mean structural similarity of luma (Wang et al., 2004), in blocks of 8 x 8
// pixels. Of large pictures, the middle stands for all. A picture that is not done after the given
// milliseconds has none.
async (pictures, patience) => {
  const until = performance.now() + patience;
  const PIXELS = 1 << 18;
  const SEEN = 0.99;
  // The box that holds an AV1 picture in a file, with its properties.
  const BOX_BYTES = 300;
  const STEPS = 5;
  const late = () => { if (performance.now() > until) throw new Error('late'); };
  const drawn = (source, width, height, x = 0, y = 0) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(source, -x, -y);
    return canvas;
  };
  const pixels = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  // Transparent pixels show grey.
  const luma = (canvas) => {
    const data = pixels(canvas);
    const values = new Float32Array(data.length / 4);
    let isOpaque = true;
    for (let i = 0; i < values.length; i += 1) {
      const [r, g, b, a] = [data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3] / 255];
      isOpaque &&= a === 1;
      values[i] = a * (0.299 * r + 0.587 * g + 0.114 * b) + (1 - a) * 128;
    }
    return { values, isOpaque };
  };
  const similarity = (a, b, width, height) => {
    let [sum, count] = [0, 0];
    for (let y = 0; y + 8 <= height; y += 4) {
      for (let x = 0; x + 8 <= width; x += 4) {
        let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
        for (let v = y; v < y + 8; v += 1) {
          for (let at = v * width + x, end = at + 8; at < end; at += 1) {
            sa += a[at]; sb += b[at];
            saa += a[at] * a[at]; sbb += b[at] * b[at]; sab += a[at] * b[at];
          }
        }
        const [ma, mb] = [sa / 64, sb / 64];
        const [va, vb, vab] = [saa / 64 - ma * ma, sbb / 64 - mb * mb, sab / 64 - ma * mb];
        sum += ((2 * ma * mb + 6.5025) * (2 * vab + 58.5225))
          / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225));
        count += 1;
      }
    }
    return count ? sum / count : 0;
  };
  const file = async (canvas, type, quality) => {
    late();
    const blob = await canvas.convertToBlob({ type, quality });
    if (blob.type !== type) throw new Error('no encoder');
    return blob;
  };
  const shown = async (blob, canvas) => drawn(await createImageBitmap(blob), canvas.width, canvas.height);
  // The planes of luma and of two colours at half the resolution.
  const planes = (canvas, own) => {
    const { width, height } = canvas;
    const data = pixels(canvas);
    const all = new Uint8ClampedArray((own.length * 3) / 2).fill(128);
    all.set(own);
    for (let y = 0, at = own.length; y < height; y += 2) {
      for (let x = 0; x < width; x += 2, at += 1) {
        let [u, v] = [0, 0];
        for (const i of [y * width + x, y * width + x + 1, (y + 1) * width + x, (y + 1) * width + x + 1]) {
          u += 0.564 * (data[4 * i + 2] - own[i]);
          v += 0.713 * (data[4 * i] - own[i]);
        }
        all[at] = 128 + u / 4;
        all[at + own.length / 4] = 128 + v / 4;
      }
    }
    return new Uint8Array(all.buffer);
  };
  // One intra frame of AV1, which is what an AVIF file holds.
  const frame = async (data, width, height, quantizer) => {
    late();
    const codec = 'av01.0.08M.08';
    const [chunks, pictures] = [[], []];
    const error = () => {};
    const encoder = new VideoEncoder({ error, output: (chunk) => chunks.push(chunk) });
    encoder.configure({ codec, width, height, bitrateMode: 'quantizer', latencyMode: 'quality' });
    const input = new VideoFrame(data, {
      format: 'I420', codedWidth: width, codedHeight: height, timestamp: 0,
    });
    encoder.encode(input, { keyFrame: true, av1: { quantizer } });
    input.close();
    await encoder.flush();
    encoder.close();
    const decoder = new VideoDecoder({ error, output: (picture) => pictures.push(picture) });
    decoder.configure({ codec });
    decoder.decode(chunks[0]);
    await decoder.flush();
    const back = new Uint8Array(pictures[0].allocationSize());
    const [{ offset, stride }] = await pictures[0].copyTo(back);
    pictures[0].close();
    decoder.close();
    const row = (y) => back.subarray(offset + y * stride, offset + y * stride + width);
    const shows = new Float32Array(width * height);
    for (let y = 0; y < height; y += 1) shows.set(row(y), y * width);
    return { bytes: chunks[0].byteLength + BOX_BYTES, shows };
  };
  // Returns the fewest bytes of `made(0 .. 1)` with this similarity to the picture.
  const least = async (made, own, near, canvas) => {
    let [low, high, best] = [0, 1, undefined];
    for (let step = 0; step < STEPS; step += 1) {
      const quality = (low + high) / 2;
      const { bytes, shows } = await made(quality);
      const is = similarity(own, shows, canvas.width, canvas.height);
      if (is >= near) {
        best = bytes;
        high = quality;
      } else {
        low = quality;
      }
    }
    return best;
  };
  const measured = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const type = bytes[0] === 0xff ? 'image/jpeg' : bytes[0] === 0x89 ? 'image/png' : 'image/webp';
    const bitmap = await createImageBitmap(new Blob([bytes], { type }));
    // The encoder's blocks of the recorded file shall not be those of the new one.
    const offset = type === 'image/png' ? 0 : 4;
    const [w, h] = [bitmap.width - offset, bitmap.height - offset];
    const scale = Math.min(1, Math.sqrt(PIXELS / (w * h)));
    const even = (length) => 2 * Math.floor((length * scale) / 2);
    const [width, height] = [even(w), even(h)];
    if (width < 16 || height < 16) return {};
    const middle = (all, part) => offset + 8 * Math.floor((all - part) / 16);
    const canvas = drawn(bitmap, width, height, middle(w, width), middle(h, height));
    const { values: own, isOpaque } = luma(canvas);
    const lossy = (kind) => async (quality) => {
      // A quality of 1 is WebP without loss.
      const blob = await file(canvas, kind, 0.98 * quality);
      return { bytes: blob.size, shows: luma(await shown(blob, canvas)).values };
    };
    let [near, base] = [SEEN, 0];
    if (type === 'image/png') {
      base = scale < 1 ? (await file(canvas, type)).size : bytes.length;
    } else {
      const wanted = (bytes.length * width * height) / (bitmap.width * bitmap.height);
      let [low, high] = [0, 1];
      for (let step = 0; step < STEPS; step += 1) {
        const { bytes: size, shows } = await lossy(type)((low + high) / 2);
        [low, high] = size > wanted ? [low, (low + high) / 2] : [(low + high) / 2, high];
        near = Math.min(SEEN, similarity(own, shows, width, height));
        base = size;
      }
    }
    const shares = {};
    if (type !== 'image/webp') {
      const sizes = [await least(lossy('image/webp'), own, near, canvas)];
      if (type === 'image/png') sizes.push((await file(canvas, 'image/webp', 1)).size);
      shares.webp = Math.min(...sizes.filter((size) => size !== undefined)) / base;
    }
    // Transparency takes a second frame.
    if (isOpaque && typeof VideoEncoder !== 'undefined') {
      const data = planes(canvas, own);
      const quantized = (quality) => frame(data, width, height, Math.round(255 * (1 - quality)));
      shares.avif = (await least(quantized, own, near, canvas)) / base;
    }
    return shares;
  };
  const all = [];
  for (const picture of pictures) {
    all.push(await measured(picture).catch(() => ({})));
  }
  return all;
}
