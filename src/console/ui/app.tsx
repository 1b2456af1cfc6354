import { ActionButton, useAction } from "./parts/action.tsx";
import { LocationProvider, Route, Router } from "preact-iso/router";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Adoptions } from "./adoptions/list.tsx";
import { Animals } from "./animals/list.tsx";
import { Activity } from "./audit/activity.tsx";
import { Categories } from "./categories/list.tsx";
import { AllDomains } from "./domains/all.tsx";
import { Keys } from "./keys/list.tsx";
import { Loading, Problem } from "./parts/feedback.tsx";
import { Page } from "./parts/page.tsx";
import { LeaveDialog } from "./parts/dialog.tsx";
import { leave } from "./parts/leaving.ts";
import { useLocation } from "./parts/navigation.ts";
import { Toasts } from "./parts/toasts.tsx";
import { InvitationPage, isInvitation } from "./people/invitation.tsx";
import { People } from "./people/list.tsx";
import { You } from "./people/you.tsx";
import { Project } from "./projects/project.tsx";
import { Projects } from "./projects/list.tsx";
import { UploadsProvider } from "./projects/uploads-provider.tsx";
import { SessionProvider, describeUser, useSession } from "./session.tsx";
import { SessionEnded, SignIn, SignInLinkPage, isSignInLink } from "./sign-in.tsx";
import { APP, SIGN_IN } from "./words.ts";

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
          {SIGN_IN.product}
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

const Redirect = ({ to }: { to: string }) => {
  const { route } = useLocation();
  useEffect(() => route(to, true), [to]);
  return null;
};

/** Redirects to the first area that the key may see. */
const Home = () => {
  const { can } = useSession();
  const area = AREAS.find(({ scope }) => can(scope));
  if (area) {
    return <Redirect to={area.href} />;
  }
  return (
    <Page title="Nothing to show">
      <p>Ask an administrator for a permission that opens a page.</p>
    </Page>
  );
};

/** Shows the page only if the key holds the scope. */
const guarded = (scope: (typeof AREAS)[number]["scope"], View: ComponentType) => () =>
  useSession().can(scope) ? (
    <View />
  ) : (
    <Page title="Not allowed">
      <p>
        {APP.forbiddenText[0]} <code>{scope}</code>
        {APP.forbiddenText[1]}
      </p>
    </Page>
  );

const AnimalsArea = guarded("pets:read", Animals);
const AdoptionsArea = guarded("orders:read", Adoptions);
const CategoriesArea = guarded("pets:read", Categories);
const ProjectsArea = guarded("platform:read", Projects);
const ProjectArea = guarded("platform:read", Project);
const DomainsArea = guarded("platform:read", AllDomains);
const KeysArea = guarded("keys:admin", Keys);
const PeopleArea = guarded("people:admin", People);
const ActivityArea = guarded("audit:read", Activity);

const NotFound = () => (
  <Page title="Not found">
    <p>
      There is no page at this address. <a href="/console">Go to the start page.</a>
    </p>
  </Page>
);

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
      <UploadsProvider>
        <Router>
          <Route path="/console" component={Home} />
          <Route path="/console/animals/:part?/:act?" component={AnimalsArea} />
          <Route path="/console/adoptions/:part?/:act?" component={AdoptionsArea} />
          <Route path="/console/categories/:id?/:part?" component={CategoriesArea} />
          <Route path="/console/projects" component={ProjectsArea} />
          <Route path="/console/projects/new" component={ProjectsArea} />
          <Route path="/console/projects/:slug/:area?/:item?/:part?" component={ProjectArea} />
          <Route path="/console/domains/:part?" component={DomainsArea} />
          <Route path="/console/keys/:id?/:part?" component={KeysArea} />
          <Route path="/console/people/:id?/:part?" component={PeopleArea} />
          <Route path="/console/you/:part?/:id?" component={You} />
          <Route path="/console/activity" component={ActivityArea} />
          <Route default component={NotFound} />
        </Router>
      </UploadsProvider>
    </main>
    <LeaveDialog />
  </SessionProvider>
);

/** The page of the address. The pages of links need no session. */
const PageOfAddress = () => {
  if (isSignInLink()) return <SignInLinkPage />;
  if (isInvitation()) return <InvitationPage />;
  return <SignedIn />;
};

/** The console. Each page has its own address, so that reloading and going back show the same. */
export const App = () => (
  <LocationProvider scope="/console">
    <Toasts>
      <PageOfAddress />
    </Toasts>
  </LocationProvider>
);
