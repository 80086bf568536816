// The description of the REST doors, drawn by Swagger UI from the hub's own files.
"use strict";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

const place = document.getElementById("docs");
const token = document.querySelector("meta[name=csrf-token]")?.content;

SwaggerUIBundle({
  url: place.dataset.schema,
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const here = new URL(request.url, document.baseURI);
    if (token && here.origin === window.location.origin && request.method && request.method !== "GET") {
      request.headers["X-CSRFToken"] = token;
    }
    return request;
  },
});
