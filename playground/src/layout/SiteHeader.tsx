import { hrefOf, type PageId, PAGES } from "../router/pages.ts"
import styles from "./layout.module.css"

/** On every page: whose it is, and the way to the others. */
export function SiteHeader({ current }: { readonly current: PageId }) {
  return (
    <header className={styles.site}>
      <div className={styles.siteInner}>
        <p className={styles.brand}>
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>
            <strong>react-tool-client</strong> playground
          </span>
        </p>
        <nav aria-label="Pages">
          <ul className={styles.pages}>
            {PAGES.map(({ id, title }) => (
              <li key={id}>
                <a href={hrefOf(id)} aria-current={id === current ? "page" : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </header>
  )
}
