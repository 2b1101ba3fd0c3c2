// Files that the build puts into the script as text.
declare module "*.html" {
  const text: string;
  export default text;
}
declare module "*.svg" {
  const text: string;
  export default text;
}
// The npm package, as far as the worker uses it.
declare module "maintext" {
  type Options = { [name: string]: unknown };
  export function init(source: URL): Promise<void>;
  export function extract(html: string | Uint8Array, options: Options): unknown;
  export function inspect(html: string | Uint8Array, options: Options): unknown;
  export function list(html: string | Uint8Array, options: Options): { groups: unknown };
  export function explain(html: string | Uint8Array, block: number, options: Options): unknown;
}
