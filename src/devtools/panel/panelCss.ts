/** Of the panel's content. Its widths are the panel's own (container queries), wherever it stands. */
export const PANEL_CSS = `
.panel { container: panel / inline-size; display: flex; flex-direction: column; height: 100%; overflow: hidden; background: var(--bg); color: var(--text); }
.panel h3, .panel h4, .panel p, .panel ul, .panel ol, .panel dl, .panel dd, .panel pre { margin: 0; padding: 0; }
.panel button, .panel input, .panel select, .panel textarea { font: inherit; color: inherit; }
.panel button { cursor: pointer; }
.panel button:disabled { cursor: default; opacity: .55; }
.panel :focus-visible { outline: 2px solid var(--focus); outline-offset: -2px; border-radius: 4px; }
.mono, .text, .json, .json-leaf, .panel textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; }
.dim { color: var(--dim); }
.spacer { flex: 1; }
.link { padding: 0; border: 0; background: none; color: var(--accent) !important; text-decoration: underline; }
.empty { display: grid; place-content: center; justify-items: center; gap: 8px; flex: 1; padding: 24px; color: var(--dim); text-align: center; }

.head { display: flex; align-items: center; gap: 8px; flex: none; height: 38px; padding: 0 8px 0 12px; border-bottom: 1px solid var(--line); background: var(--bg-2); }
.brand { display: inline-flex; align-items: center; gap: 6px; min-width: 0; max-width: 150px; font-weight: 650; }
.brand > svg { flex: none; }
.brand > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tabs { display: flex; flex: 0 1 auto; align-self: stretch; min-width: 0; margin-left: 8px; overflow: auto hidden; scrollbar-width: none; }
.tab { flex: none; padding: 0 10px; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--dim) !important; text-transform: capitalize; white-space: nowrap; }
.tab:hover { color: var(--text) !important; }
.tab[aria-selected="true"] { border-bottom-color: var(--accent); color: var(--text) !important; font-weight: 600; }
.count { color: var(--dim); font-weight: 400; font-variant-numeric: tabular-nums; font-size: 12px; }
.icon-button { display: inline-grid; place-items: center; flex: none; width: 26px; height: 26px; padding: 0; border: 0; border-radius: 6px; background: none; color: var(--dim) !important; }
.icon-button:hover { background: var(--bg-3); color: var(--text) !important; }
.icon-button[aria-pressed="true"] { background: var(--selected); color: var(--accent) !important; }
.status { display: inline-block; padding: 1px 8px; border-radius: 9px; background: var(--neutral-bg); color: var(--dim); font-size: 12px; font-weight: 600; white-space: nowrap; }
.status.open, .status.serving { background: var(--good-bg); color: var(--good); }
.status.reconnecting, .status.joining, .status.connecting, .status.leaving { background: var(--warn-bg); color: var(--warn); }
.status.failed { background: var(--bad-bg); color: var(--bad); }
.running-count, .agent { font-size: 12px; color: var(--accent); white-space: nowrap; }

.content { display: flex; flex: 1; min-height: 0; }
.split { display: flex; flex: 1; min-width: 0; min-height: 0; }
.main { display: flex; flex: 1; flex-direction: column; min-width: 0; min-height: 0; }
.toolbar { display: flex; align-items: center; gap: 8px; flex: none; flex-wrap: wrap; padding: 6px 10px; border-bottom: 1px solid var(--line); }
.search { display: inline-flex; align-items: center; gap: 6px; flex: 1 1 110px; max-width: 190px; height: 26px; padding: 0 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); color: var(--dim); }
.search:focus-within { border-color: var(--focus); }
.panel .search input { flex: 1; min-width: 0; padding: 0; border: 0; outline: 0; background: none; color: var(--text); }
.search input::placeholder { color: var(--dim); }
.chips { display: flex; flex-wrap: wrap; gap: 4px; }
.chip { height: 24px; padding: 0 9px; border: 1px solid transparent; border-radius: 12px; background: none; color: var(--dim) !important; }
.chip:hover { background: var(--bg-3); }
.chip[aria-pressed="true"] { background: var(--selected); color: var(--text) !important; }

.list { flex: 1; min-height: 0; overflow: auto; overscroll-behavior: contain; scrollbar-gutter: stable; }
.list-row { position: absolute; top: 0; left: 0; width: 100%; cursor: default; }
.list-row:hover { background: var(--bg-2); }
.list-row[aria-selected="true"] { background: var(--selected); }
.call { display: grid; grid-template-columns: 16px minmax(110px, 1.1fr) minmax(60px, 1fr) 62px minmax(150px, 3fr); align-items: center; gap: 8px; height: 100%; padding: 0 10px; }
.call > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.call > .call-name { display: flex; align-items: center; font-weight: 600; }
.call-tool { overflow: hidden; text-overflow: ellipsis; }
.call-args { color: var(--dim); font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.call-time { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.call > .call-line { position: relative; height: 100%; overflow: hidden; }
.axis { flex: none; height: 24px; border-bottom: 1px solid var(--line); background: var(--bg-2); font-size: 12px; scrollbar-gutter: stable; overflow: hidden; }
.axis > span { color: var(--dim); font-weight: 400; font-family: inherit; font-size: 12px; }
.tick { position: absolute; top: 0; bottom: 0; padding-left: 4px; border-left: 1px solid var(--line); line-height: 24px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tick-start { border-left-color: var(--dim); color: var(--text); }
.break { position: absolute; top: 0; bottom: 0; background: repeating-linear-gradient(135deg, transparent 0 3px, var(--bg-3) 3px 5px); }
.bar, .bar-end { position: absolute; top: 9px; height: 10px; }
.bar-end { border-radius: 3px; min-width: 4px; background: var(--bg-3); }
.bar:first-of-type { border-radius: 3px 0 0 3px; }
.bar.asking { background-image: repeating-linear-gradient(135deg, transparent 0 4px, rgb(255 255 255 / .35) 4px 7px); }
.bar-end::after { content: ""; position: absolute; right: 0; top: -3px; bottom: -3px; width: 3px; border-radius: 2px; background: transparent; z-index: 1; }
.bar-end.answered::after { background: var(--good); }
.bar-end.error::after { background: var(--bad); }
.bar-end.failed::after { background: var(--worse); }
.bar-end.refused::after { background: var(--asking); }
.bar-end.timed_out::after { background: var(--bad); }
.bar-end.cancelled::after { background: var(--dim); }
.bar-end.cancelled ~ .bar { opacity: .45; }
.bar-progress { position: absolute; top: 16px; height: 3px; background: var(--good); }
.bar.dispatched, .swatch.dispatched { background-color: var(--dispatched); }
.bar.acked, .swatch.acked { background-color: var(--acked); }
.bar.running, .swatch.running { background-color: var(--run); }
.bar.asking, .swatch.asking { background-color: var(--asking); }
.bar.answering, .swatch.answering { background-color: var(--answering); }
.swatch { display: inline-block; width: 9px; height: 9px; margin-right: 5px; border-radius: 2px; vertical-align: -1px; }
.legend { display: flex; flex: none; flex-wrap: wrap; gap: 2px 12px; padding: 4px 10px !important; border-top: 1px solid var(--line); color: var(--dim); font-size: 12px; line-height: 16px; }
.legend > span { white-space: nowrap; }
.legend .mark { margin-right: 2px; vertical-align: -3px; }
.mark { display: inline-grid; flex: none; place-items: center; width: 16px; height: 16px; font-size: 12px; font-weight: 700; line-height: 1; }
.mark.dispatched, .mark.pending { color: var(--dim); }
.mark.acked { color: var(--warn); }
.mark.running, .mark.answering { color: var(--accent); }
.mark.asking, .mark.refused { color: var(--asking); }
.mark.answered, .mark.taken { color: var(--good); }
.mark.error, .mark.timed_out { color: var(--bad); }
.mark.cancelled { color: var(--dim); }
.mark.failed { color: var(--worse); }
.tag { flex: none; margin-left: 6px; padding: 0 5px; border-radius: 6px; background: var(--neutral-bg); color: var(--dim); font-size: 12px; font-weight: 500; }

.detail { display: flex; flex: 0 0 42%; flex-direction: column; min-width: 0; min-height: 0; border-left: 1px solid var(--line); background: var(--bg); }
.detail-head { display: flex; align-items: center; gap: 8px; flex: none; min-height: 38px; padding: 0 12px 0 6px; border-bottom: 1px solid var(--line); }
.detail-head h3 { min-width: 0; overflow: hidden; font-size: 13px; font-weight: 650; text-overflow: ellipsis; white-space: nowrap; }
.stage { display: inline-flex; flex: none; align-items: center; gap: 4px; margin-left: auto; color: var(--dim); white-space: nowrap; }
.stage.error, .stage.timed_out { color: var(--bad); } .stage.asking, .stage.refused { color: var(--asking); } .stage.failed { color: var(--worse); } .stage.answered { color: var(--good); }
.detail-body { flex: 1; min-height: 0; padding: 10px 14px 18px; overflow: auto; overscroll-behavior: contain; }
.detail-body h4 { margin: 14px 0 4px; color: var(--dim); font-size: 12px; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; }
.detail-body h4:first-child { margin-top: 0; }
.actions { display: flex; flex-wrap: wrap; gap: 6px; margin: 2px 0 12px; }
.button { padding: 3px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); }
.button:hover:not(:disabled) { background: var(--bg-3); }
.button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent) !important; font-weight: 600; }
.button.primary:hover:not(:disabled) { background: var(--accent); filter: brightness(1.08); }
.text { padding: 7px 9px !important; border-radius: 6px; background: var(--bg-2); white-space: pre-wrap; overflow-wrap: anywhere; }
.refusal { border-left: 3px solid var(--bad); margin-bottom: 6px !important; }
.problem { margin-top: 6px !important; padding: 6px 9px !important; border-radius: 6px; background: var(--bad-bg); color: var(--bad); overflow-wrap: anywhere; }
.cancelled-note { margin-top: 6px !important; padding: 6px 9px !important; border-radius: 6px; background: var(--neutral-bg); overflow-wrap: anywhere; }
.asked { display: flex; gap: 4px; align-items: baseline; margin-top: 6px !important; }
.asked .mark { align-self: flex-start; margin-top: 1px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; }
.fact { display: contents; }
.facts dt { color: var(--dim); }
.facts dd { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }

.json > summary { cursor: pointer; list-style: none; }
.json > summary::-webkit-details-marker { display: none; }
.json > summary::before { content: "▸"; display: inline-block; width: 13px; color: var(--dim); }
.json[open] > summary::before { content: "▾"; }
.json-members { margin-left: 5px; padding-left: 10px; border-left: 1px solid var(--line); }
.json-leaf { padding-left: 13px; overflow-wrap: anywhere; }
.json-key { color: var(--key); }
.json-key::after { content: ": "; color: var(--dim); }
.json-string { color: var(--string); white-space: pre-wrap; }
.json-number, .json-boolean { color: var(--number); }
.json-null, .json-undefined, .json-preview { color: var(--dim); }

.side { flex: 0 1 300px; border-right: 1px solid var(--line); }
.split:not(.has-detail) > .side { flex: 1; border-right: 0; }
.side + .detail { flex: 1; border-left: 0; }
.tools { flex: 1; min-height: 0; padding: 4px 0 12px; overflow: auto; }
.tools h3 { display: flex; align-items: center; gap: 8px; padding: 8px 12px 4px; font-size: 12px; }
.tools ul { list-style: none; }
.tools p { padding: 2px 12px; }
.tool { display: flex; align-items: center; gap: 8px; width: 100%; padding: 4px 12px; border: 0; background: none; text-align: start; }
.tool:hover { background: var(--bg-2); }
.tool[aria-current="true"] { background: var(--selected); }
.tool-name { overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
.split:not(.has-detail) .tool-name { min-width: 150px; }
.tool-about { flex: 1; overflow: hidden; color: var(--dim); text-overflow: ellipsis; white-space: nowrap; }
.tool-problem { color: var(--bad); }
.panel .tools .problem { margin: 2px 12px 6px !important; padding: 6px 9px !important; }
.tool .tool-status { margin-left: 0; }
.tool-status.refused { background: var(--bad-bg); color: var(--bad); } .tool-status.pending { background: var(--warn-bg); color: var(--warn); }
.problem-count { margin-left: 4px; padding: 1px 6px; border-radius: 8px; background: var(--bad-bg); color: var(--bad); font-size: 12px; font-weight: 600; text-transform: none; }
.dot { display: inline-block; flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--dispatched); }
.dot.live { background: var(--good); } .dot.pending { background: var(--acked); } .dot.refused { background: var(--bad); border-radius: 2px; }
.dot.disabled { background: none; border: 1.5px solid var(--dim); }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
.beside h4:first-child { margin-top: 12px; }
.call-form { display: grid; gap: 8px; max-width: 520px; }
.call-form .actions { margin: 2px 0; }
.field { display: grid; gap: 2px; }
.required { color: var(--bad); }
.field label { font-weight: 600; } .field label .dim { font-weight: 400; }
.field input, .field select, .field textarea { width: 100%; padding: 4px 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--bg); resize: vertical; }
.made { display: grid; grid-template-columns: auto 1fr; gap: 4px 6px; align-items: start; max-width: 520px; margin-top: 10px; }
.made .mark { margin-top: 7px; } .made .link { grid-column: 2; justify-self: start; }

.request { display: grid; grid-template-columns: 16px 62px 64px 84px minmax(100px, 1fr) 62px; align-items: center; gap: 8px; height: 100%; padding: 0 10px; }
.request > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.type { font-weight: 600; }
.request-client { color: var(--dim); }
.connection { overflow: auto; }
.statuses { list-style: none; padding: 6px 12px 16px !important; }
.statuses li { display: grid; grid-template-columns: 92px 88px 104px 1fr; align-items: baseline; gap: 2px 10px; padding: 3px 0; }
.statuses li > .status { justify-self: start; }
.of-session .status-subject { font-weight: 650; }
.status-subject { overflow: hidden; text-overflow: ellipsis; }
.status-for { color: var(--dim); font-variant-numeric: tabular-nums; }
.status-error { grid-column: 2 / -1; color: var(--bad); overflow-wrap: anywhere; }

@container panel (max-width: 1200px) {
  .has-detail > .main > .toolbar .chips { order: 2; flex-basis: 100%; }
}
@container panel (max-width: 900px) {
  .has-detail .call-args { position: absolute; width: 1px; height: 1px; clip-path: inset(50%); }
  .has-detail .call { grid-template-columns: 16px minmax(100px, 1.3fr) 58px minmax(80px, 2fr); }
}
@container panel (max-width: 720px) {
  .call { grid-template-columns: 16px minmax(90px, 1.2fr) 58px minmax(110px, 2fr) !important; }
  .call .call-args { position: absolute; width: 1px; height: 1px; clip-path: inset(50%); }
  .agent, .running-count, .brand > span, .tab .count { display: none; }
  .toolbar .chips { order: 2; flex-basis: 100%; }
  .search { max-width: none; }
  .split { flex-direction: column; }
  .split.has-detail > .main { flex: 0 0 42%; }
  .split.has-detail > .main .legend, .split.has-detail > .side .toolbar { display: none; }
  .split.has-detail > .side { flex-basis: 30%; }
  .detail { flex: 1 !important; border-left: 0; border-top: 1px solid var(--line); }
  .side { border-right: 0; }
  .request { grid-template-columns: 16px 60px 66px minmax(100px, 1fr) 52px; }
  .request-client { display: none; }
}
@container panel (max-width: 520px) {
  .head { gap: 2px; padding: 0 4px 0 8px; }
  .tabs { margin-left: 0; }
  .tab { padding: 0 6px; }
  .problem-count, .brand, .side-button, .head > .status.open { display: none; }
  .toolbar .spacer:not(.connection *) { display: none; }
  .statuses li { grid-template-columns: 92px minmax(0, 1fr) max-content; }
  .status-for { grid-column: 2 / -1; }
  .chip { padding: 0 7px; }
  .beside { grid-template-columns: 1fr; gap: 0; }
  .split.has-detail > .main { display: none; }
  .detail { border-top: 0; }
  .legend { display: none; }
}
@media (forced-colors: active) {
  .bar, .bar-end, .bar-end::after, .bar-progress, .swatch, .dot { forced-color-adjust: none; }
  .chip[aria-pressed="true"], .list-row[aria-selected="true"], .tool[aria-current="true"], .icon-button[aria-pressed="true"] { forced-color-adjust: none; background: Highlight; color: HighlightText !important; }
  .list-row[aria-selected="true"] *, .tool[aria-current="true"] *, .chip[aria-pressed="true"] * { color: HighlightText; }
  .tab { border-bottom-color: Canvas; }
  .tab[aria-selected="true"] { border-bottom-color: Highlight; }
  .icon-button { border: 1px solid ButtonBorder; }
}
@media (prefers-reduced-motion: no-preference) {
  .mark.running, .mark.asking { animation: breathe 1.4s ease-in-out infinite; }
  @keyframes breathe { 50% { opacity: .45; } }
}
`
