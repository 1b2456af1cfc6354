import { LocationProvider, Route, Router } from "preact-iso/router";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ActionButton, Toasts, useAction } from "./parts/action.tsx";
import { Adoptions } from "./adoptions/adoptions.tsx";
import { Animals } from "./animals/list.tsx";
import { Activity } from "./audit/activity.tsx";
import { Categories } from "./categories/categories.tsx";
import { AllDomains } from "./domains/list.tsx";
import { Keys } from "./keys/keys.tsx";
import { Loading, Page, Problem } from "./parts/page.tsx";
import { LeaveDialog } from "./parts/dialog.tsx";
import { leave, useLocation } from "./parts/navigation.ts";
import { useUploadGuard } from "./parts/uploads.ts";
import { Invitation, Outside, SessionEnded, SignIn, SignInLink } from "./sign-in.tsx";
import { People } from "./people/people.tsx";
import { You } from "./people/you.tsx";
import { ProjectPage, Projects } from "./projects/projects.tsx";
import { type Grant, SessionProvider, describeUser, useSession } from "./session.tsx";

const AREAS = [
  { href: "/console/animals", name: "Animals", scope: "pets:read" },
  { href: "/console/adoptions", name: "Adoptions", scope: "orders:read" },
  { href: "/console/categories", name: "Categories", scope: "pets:read" },
  { href: "/console/projects", name: "Projects", scope: "platform:read" },
  { href: "/console/domains", name: "Domains", scope: "platform:read" },
  { href: "/console/keys", name: "Keys", scope: "keys:admin" },
  { href: "/console/people", name: "People", scope: "people:admin" },
  { href: "/console/activity", name: "Activity", scope: "audit:read" },
] as const;

/** Without adding an entry to the history. */
const skip = (event: Event) => {
  event.preventDefault();
  document.getElementById("main")?.focus();
};

const Navigation = () => {
  const { path } = useLocation();
  const { user, can, signOut } = useSession();
  const signingOut = useAction({ act: signOut });
  return (
    <header class="top">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <nav aria-label="Areas" class="container">
        <a class="product" href="/console">
          Adoption store
        </a>
        <ul>
          {AREAS.filter(({ scope }) => can(scope)).map(({ href, name }) => (
            <li key={href}>
              <a href={href} aria-current={path.startsWith(href) ? "page" : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
        <div class="who">
          <a
            href="/console/you"
            title={describeUser(user)}
            aria-current={path.startsWith("/console/you") ? "page" : undefined}
          >
            <bdi>{user.name}</bdi>
          </a>
          <ActionButton
            action={signingOut}
            class="secondary outline"
            onClick={() => void leave(() => signingOut.run(), "console")}
          >
            Sign out
          </ActionButton>
        </div>
      </nav>
      {signingOut.error && (
        <div class="container">
          <Problem error={signingOut.error} />
        </div>
      )}
    </header>
  );
};

const Home = () => {
  const { can } = useSession();
  const { route } = useLocation();
  const area = AREAS.find(({ scope }) => can(scope));
  useEffect(() => area && route(area.href, true), [area]);
  if (area) return null;
  return (
    <Page title="Nothing to show">
      <p>Ask an administrator for a permission that opens a page.</p>
    </Page>
  );
};

const guarded = (scope: Grant, View: ComponentType) => () =>
  useSession().can(scope) ? (
    <View />
  ) : (
    <Page title="Not allowed">
      <p>
        This page needs the permission <code>{scope}</code>. Ask an administrator for it.
      </p>
    </Page>
  );

/** One for both of its addresses, so that the page below its dialog stays. */
const ProjectsArea = guarded("platform:read", Projects);

const ROUTES = [
  ["", Home],
  ["/animals/:part?/:act?", guarded("pets:read", Animals)],
  ["/adoptions/:part?/:act?", guarded("orders:read", Adoptions)],
  ["/categories/:id?/:part?/:act?", guarded("pets:read", Categories)],
  ["/projects", ProjectsArea],
  ["/projects/new", ProjectsArea],
  ["/projects/:slug/:area?/:item?/:part?", guarded("platform:read", ProjectPage)],
  ["/domains/:part?", guarded("platform:read", AllDomains)],
  ["/keys/:id?/:part?", guarded("keys:admin", Keys)],
  ["/people/:id?/:part?", guarded("people:admin", People)],
  ["/you/:part?/:id?", You],
  ["/activity", guarded("audit:read", Activity)],
] as const;

const NotFound = () => (
  <Page title="Not found">
    <p>
      There is no page at this address. <a href="/console">Go to the start page.</a>
    </p>
  </Page>
);

/** The routes have no keys: a page stays while its address changes. */
const Areas = () => {
  useUploadGuard();
  return (
    <Router>
      {ROUTES.map(([path, Area]) => (
        <Route path={`/console${path}`} component={Area} />
      ))}
      <Route default component={NotFound} />
    </Router>
  );
};

/** The pages of a signed-in user. */
const SignedIn = () => (
  <SessionProvider
    signedOut={(hasEnded, oidc) => <SignIn hasEnded={hasEnded} oidc={oidc} />}
    ended={(oidc) => <SessionEnded oidc={oidc} />}
    pending={(error) => (
      <main class="container">
        {error ? <Problem error={error} onRetry={() => location.reload()} /> : <Loading />}
      </main>
    )}
  >
    <Navigation />
    <main id="main" class="container" tabIndex={-1}>
      <Areas />
    </main>
    <LeaveDialog />
  </SessionProvider>
);

/** The pages of links, which need no session. */
const LINKS: Readonly<Record<string, ComponentType>> = {
  "/console/sign-in": SignInLink,
  "/console/invitation": Invitation,
};

/** The console. Each page has its own address, so that reloading and going back show the same. */
export const App = () => {
  const Link = LINKS[location.pathname];
  return (
    <LocationProvider scope="/console">
      <Toasts>
        {Link ? (
          <Outside>
            <Link />
          </Outside>
        ) : (
          <SignedIn />
        )}
      </Toasts>
    </LocationProvider>
  );
};
