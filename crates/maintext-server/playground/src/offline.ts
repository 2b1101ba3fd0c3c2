// The service worker of the page without a server: keeps the page's own files, so that it works without a network after the first visit.

/** The files of the page, and a name that changes with them. The build puts both in. */
declare const FILES: string[];
declare const VERSION: string;
const worker = self as unknown as {
  addEventListener(type: "install" | "activate", listen: (event: { waitUntil(work: Promise<unknown>): void }) => void): void;
  addEventListener(type: "fetch", listen: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  registration: { scope: string };
};

worker.addEventListener("install", (event) =>
  event.waitUntil(
    caches
      .open(VERSION)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
  ),
);

worker.addEventListener("activate", (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name.startsWith("maintext-") && name !== VERSION).map((name) => caches.delete(name))),
      )
      .then(() => worker.clients.claim()),
  ),
);

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(worker.registration.scope)) return;
  event.respondWith(
    caches
      .open(VERSION)
      .then((cache) => cache.match(request, { ignoreSearch: true }))
      .then((found) => found ?? fetch(request)),
  );
});
