/** A link to a page, or to a part of a page. */
export interface Tab {
  href: string;
  name: string;
  isCurrent: boolean;
}

/** Links to the parts of a page. `label` names them for screen readers. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} class="areas">
    <ul>
      {tabs.map(({ href, name, isCurrent }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
