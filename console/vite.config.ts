import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.REFLECT_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    // Everything is a file of its own: the server's content security policy allows no inlined scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: {
    proxy: Object.fromEntries(
      ["/v1", "/ready", "/health", "/docs"].map((path) => [path, { target: server, changeOrigin: true }]),
    ),
  },
});
