// The same draws every time.

/** mulberry32: numbers from 0 to 1, by a seed. */
export function random(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  return { next, between, chance: (odds) => next() < odds, pick: (list) => list[between(0, list.length - 1)] };
}
