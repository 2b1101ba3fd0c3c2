// The page of a running service: everything is asked of its routes.
import { start } from "./app";
import { Problem, type Ask, type Backend, type Explanation, type Inspection, type Methods, type Settings } from "./backend";
import { post, token } from "./http";
import { teach } from "./teach";

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

const service: Backend = {
  service: { docs: "/docs", token, teach },
  frame: (name) => ({ src: `/assets/${name}.html` }),
  async inspect({ bytes, ...page }: Ask, settings: Settings, signal: AbortSignal): Promise<Inspection> {
    // Only the learned method has models of sites; the service refuses the option with another method.
    const options = { ...settings, site_model: settings.site_model && settings.method === "learned", things: true };
    const body = { ...page, ...(bytes ? { html_base64: base64(bytes) } : {}), options };
    return post<Inspection>("/v1/inspect", body, signal).catch((error) => {
      // A browser's message is of no use when the service does not answer.
      throw error instanceof TypeError ? new Problem("offline", error.message) : error;
    });
  },
  explain: (seen: Inspection, block: number, settings: Settings) =>
    post<Explanation>("/v1/explain", { handle: seen.handle, block, site_model: settings.site_model }),
  compare: async (seen: Inspection): Promise<Methods> => seen.methods ?? {},
};

start(service);
