import type { PointsModel } from "./model.ts";

/** How the cube of points is looked at: turned around the upright axis, then tipped. Radians. */
export interface Camera {
  readonly turn: number;
  readonly tip: number;
  readonly zoom: number;
}

export const START: Camera = { turn: 0.7, tip: 0.42, zoom: 1 };

/** Distance of the eye, in halves of the cube's side: far enough that near points are not huge. */
const EYE = 5;
/** Half of the cube's side, as a share of the picture's shorter one. */
const SHARE = 0.25;
/** Where its middle lies, as a share of the height: numbers stand below it. */
const MIDDLE = 0.47;
const MOST_TIP = Math.PI / 2;
const LEAST_ZOOM = 0.4;
const MOST_ZOOM = 12;

export function turned(
  camera: Camera,
  by: { readonly turn?: number; readonly tip?: number; readonly zoom?: number },
): Camera {
  return {
    turn: (camera.turn + (by.turn ?? 0)) % (Math.PI * 2),
    tip: Math.max(-MOST_TIP, Math.min(MOST_TIP, camera.tip + (by.tip ?? 0))),
    zoom: Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, camera.zoom * (by.zoom ?? 1))),
  };
}

export interface Eye {
  /** Of a place in the cube: px on the picture, and how near it is, about 1. */
  readonly project: (x: number, y: number, z: number) => readonly [number, number, number];
}

/** y is up. `width` and `height`: of the picture, px. */
export function eyeOf(camera: Camera, width: number, height: number): Eye {
  const [cosTurn, sinTurn] = [Math.cos(camera.turn), Math.sin(camera.turn)];
  const [cosTip, sinTip] = [Math.cos(camera.tip), Math.sin(camera.tip)];
  const scale = Math.min(width, height) * SHARE * camera.zoom;
  const project = (x: number, y: number, z: number): readonly [number, number, number] => {
    const aside = x * cosTurn + z * sinTurn;
    const ahead = z * cosTurn - x * sinTurn;
    const up = y * cosTip + ahead * sinTip;
    const near = EYE / (EYE - y * sinTip + ahead * cosTip);
    return [width / 2 + aside * near * scale, height * MIDDLE - up * near * scale, near];
  };
  return { project };
}

/** All points on the picture: x and y by point, and the points from the farthest to the nearest. */
export interface Projected {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly near: Float32Array;
  readonly order: Uint32Array;
}

const DEPTHS = 512;

export function projectAll(model: PointsModel, camera: Camera, width: number, height: number): Projected {
  const count = model.rows.length;
  const [x, y, near] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  const [cosTurn, sinTurn] = [Math.cos(camera.turn), Math.sin(camera.turn)];
  const [cosTip, sinTip] = [Math.cos(camera.tip), Math.sin(camera.tip)];
  const scale = Math.min(width, height) * SHARE * camera.zoom;
  const depths = new Uint16Array(count);
  const { places } = model;
  for (let at = 0; at < count; at += 1) {
    const [px, py, pz] = [places[at * 3] ?? 0, places[at * 3 + 1] ?? 0, places[at * 3 + 2] ?? 0];
    const ahead = pz * cosTurn - px * sinTurn;
    const depth = ahead * cosTip - py * sinTip;
    const share = EYE / (EYE + depth);
    x[at] = width / 2 + (px * cosTurn + pz * sinTurn) * share * scale;
    y[at] = height * MIDDLE - (py * cosTip + ahead * sinTip) * share * scale;
    near[at] = share;
    // The cube reaches from -√3 to √3 around its middle.
    depths[at] = Math.max(0, Math.min(DEPTHS - 1, Math.floor(((depth + 1.75) / 3.5) * DEPTHS)));
  }
  return { x, y, near, order: farFirst(depths) };
}

/** A counting sort over depths: exact order within a five-hundredth of the cube is not to be seen. */
function farFirst(depths: Uint16Array): Uint32Array {
  const starts = new Uint32Array(DEPTHS + 1);
  for (const depth of depths) {
    const slot = DEPTHS - depth;
    starts[slot] = (starts[slot] ?? 0) + 1;
  }
  for (let slot = 1; slot <= DEPTHS; slot += 1) starts[slot] = (starts[slot] ?? 0) + (starts[slot - 1] ?? 0);
  const order = new Uint32Array(depths.length);
  for (let at = 0; at < depths.length; at += 1) {
    const slot = DEPTHS - 1 - (depths[at] ?? 0);
    const place = starts[slot] ?? 0;
    order[place] = at;
    starts[slot] = place + 1;
  }
  return order;
}

/** The nearest to the eye of the points under a place of the picture; -1: none. */
export function pointAt(model: PointsModel, points: Projected, x: number, y: number): number {
  for (let rank = points.order.length - 1; rank >= 0; rank -= 1) {
    const at = points.order[rank] ?? 0;
    const reach = Math.max(4, ((model.sizes[at] ?? 0) * (points.near[at] ?? 1)) / 2 + 1);
    const [dx, dy] = [(points.x[at] ?? 0) - x, (points.y[at] ?? 0) - y];
    if (model.out[at] === 0 && dx * dx + dy * dy <= reach * reach) return at;
  }
  return -1;
}
