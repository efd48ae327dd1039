import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "@/api/queries";
import { onSessionEnd } from "@/api/session";
import { router } from "@/router";
import { preloadPages } from "@/shell/preloadPages";
import { startShortcuts } from "@/shell/shortcuts";
import { startTheme } from "@/shell/theme";
import "@/styles/base.css";

startTheme();
startShortcuts();
// A session that ends (signed out, expired, revoked) ends on the sign-in page, which leads back to where one was.
onSessionEnd(() => void router.invalidate());

// The other pages come while nothing else is to be done, so that they open at once.
const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1000));
addEventListener("load", () => {
  setTimeout(() => whenIdle(() => preloadPages(router)), 2000);
});

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
