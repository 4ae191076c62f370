import { rgbOf, type Palette, type Rgb } from "../drawing/colors.ts";
import { Raster, stampOf, type Stamp } from "../drawing/raster.ts";
import { elide } from "../drawing/words.ts";
import { eyeOf, projectAll, type Camera, type Eye, type Projected } from "./camera.ts";
import { ticksOf, type Axis3d, type PointsModel } from "./model.ts";

export interface Scene {
  readonly model: PointsModel;
  readonly camera: Camera;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  /** By point, red green blue one after the other. */
  readonly colors: Uint8Array;
  /** By point: 1 where its row is selected. */
  readonly selected: Uint8Array;
  readonly show: { readonly axes: boolean; readonly floor: boolean; readonly walls: boolean };
}

const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;

/** Draws the cube behind the points, then the points from far to near. Answers where they are, for the mouse. */
export function drawScene(context: CanvasRenderingContext2D, scene: Scene, ratio: number): Projected {
  const { width, height, camera } = scene;
  const eye = eyeOf(camera, width, height);
  drawCube(context, scene, eye);
  const points = projectAll(scene.model, camera, width, height);
  const raster = new Raster(width * ratio, height * ratio);
  stampPoints(raster, scene, points, ratio);
  const image = document.createElement("canvas");
  image.width = raster.width;
  image.height = raster.height;
  image.getContext("2d")?.putImageData(new ImageData(raster.pixels, raster.width, raster.height), 0, 0);
  context.drawImage(image, 0, 0, width, height);
  return points;
}

function stampPoints(
  raster: Raster,
  { model, palette, colors, selected }: Scene,
  points: Projected,
  ratio: number,
): void {
  const stamps = new Map<number, Stamp>();
  const [chosen, out] = [rgbOf(palette.selected), rgbOf(palette.out)];
  for (const at of points.order) {
    const near = points.near[at] ?? 1;
    const size = Math.max(1, Math.round((model.sizes[at] ?? 1) * near * ratio * 2) / 2);
    let stamp = stamps.get(size);
    if (stamp === undefined) {
      stamp = stampOf(model.marker, size);
      stamps.set(size, stamp);
    }
    const isOut = model.out[at] === 1;
    const own: Rgb = [colors[at * 3] ?? 0, colors[at * 3 + 1] ?? 0, colors[at * 3 + 2] ?? 0];
    const color = selected[at] === 1 ? chosen : isOut ? out : own;
    // What is far is fainter, so that depth is seen without movement.
    const opacity = (selected[at] === 1 ? 1 : isOut ? 0.35 : model.opacity) * Math.min(1, 0.55 + (near - 0.78) * 1.25);
    raster.stamp(stamp, (points.x[at] ?? 0) * ratio, (points.y[at] ?? 0) * ratio, color, opacity);
  }
}

/** Walls that lie behind the points: those whose outside the eye sees are left out. */
function drawCube(context: CanvasRenderingContext2D, scene: Scene, eye: Eye): void {
  const { palette, show, camera } = scene;
  const behindX = Math.sin(camera.turn) > 0 ? -1 : 1;
  const behindZ = Math.cos(camera.turn) > 0 ? 1 : -1;
  const floor = camera.tip >= 0 ? -1 : 1;
  const line = (from: readonly [number, number, number], to: readonly [number, number, number]): void => {
    const [x1, y1] = eye.project(...from);
    const [x2, y2] = eye.project(...to);
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  };
  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  context.beginPath();
  for (const share of TICKS) {
    const at = share * 2 - 1;
    if (show.floor) {
      line([at, floor, -1], [at, floor, 1]);
      line([-1, floor, at], [1, floor, at]);
    }
    if (show.walls) {
      line([behindX, -1, at], [behindX, 1, at]);
      line([behindX, at, -1], [behindX, at, 1]);
      line([at, -1, behindZ], [at, 1, behindZ]);
      line([-1, at, behindZ], [1, at, behindZ]);
    }
  }
  context.stroke();
  if (show.axes) drawAxes(context, scene, eye, { behindX, behindZ, floor });
}

interface Sides {
  readonly behindX: number;
  readonly behindZ: number;
  readonly floor: number;
}

interface CubeEdge {
  readonly axis: Axis3d;
  /** From one end of the axis, -1, to the other, 1. */
  readonly at: (place: number) => readonly [number, number, number];
  /** Away from the cube. */
  readonly out: readonly [number, number, number];
  /** How far from the edge the name stands, in halves of the cube's side. */
  readonly nameFar: number;
}

/** Along the edges in front, so that the numbers stand outside of the points. */
function drawAxes(context: CanvasRenderingContext2D, { model, palette, width }: Scene, eye: Eye, sides: Sides): void {
  const { behindX, behindZ, floor } = sides;
  const edges: readonly CubeEdge[] = [
    { axis: model.axes.x, at: (place) => [place, floor, -behindZ], out: [0, floor * 0.25, -behindZ], nameFar: 0.5 },
    { axis: model.axes.z, at: (place) => [-behindX, floor, place], out: [-behindX, floor * 0.25, 0], nameFar: 0.5 },
    {
      axis: model.axes.y,
      at: (place) => [behindX, place, -behindZ],
      out: [behindX * 0.6, 0, -behindZ * 0.6],
      nameFar: 0.12,
    },
  ];
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const [index, { axis, at, out, nameFar }] of edges.entries()) {
    const upright = index === 2;
    const outside = (place: number, far: number): readonly [number, number] => {
      const [x, y, z] = at(place);
      const [px, py] = eye.project(x + out[0] * far, y + out[1] * far, z + out[2] * far);
      return [px, py];
    };
    const [startX, startY] = outside(-1, 0);
    context.strokeStyle = palette.lineStrong;
    context.beginPath();
    context.moveTo(startX, startY);
    context.lineTo(...outside(1, 0));
    context.stroke();
    const side = startX < width / 2 ? "right" : "left";
    context.textAlign = upright ? side : "center";
    context.fillStyle = palette.soft;
    for (const { place, text } of ticksOf(axis))
      context.fillText(elide(text, 80), ...outside(place, upright ? 0.08 : 0.18));
    context.fillStyle = palette.ink;
    const [nameX, nameY] = outside(upright ? 1 : 0, nameFar);
    context.textAlign = "center";
    context.fillText(elide(axis.column.name, 140), nameX, upright ? nameY - 14 : nameY);
  }
}
