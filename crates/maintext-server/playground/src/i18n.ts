// The texts of the playground, in English and Chinese.
const EN = {
  tagline: "The main text of any web page, and the reasons",
  address: "Address", start: "Start", file: "Open a file", paste: "Paste HTML", pasted: "Extract pasted HTML", working: "Working…",
  method: "Method", favor: "Favor", balance: "balance", precision: "precision", recall: "recall",
  site_model: "use the site's own model", token: "Token", api: "API",
  page: "Page", text: "Text", markdown: "Markdown", html: "HTML", json: "JSON", metadata: "Metadata", methods: "Methods",
  density: "Density", list: "List", teach: "Teach", why: "Why",
  copy: "Copy", copied: "Copied", nothing: "No content found.",
  legend_low: "boilerplate", legend_high: "main content", legend_kept: "kept",
  hint: "Enter an address, open a file or paste HTML. Then click a block of the page to see why it was kept or dropped.",
  hint_block: "Click a block, or use the arrow keys.",
  summary: "{words} of {all} words kept, {blocks} blocks, {ms} ms", confidence: "expected F1 {f1}",
  kept: "kept", dropped: "dropped", probability: "probability", score: "score", words: "words", link_density: "link density",
  why_forest: "Features in the decision forest", why_network: "Features in the network, including neighbouring blocks",
  why_base: "The average block of this page has log-odds {average}; this block has {score}. Green bars favor content, red bars favor boilerplate.",
  why_other: "The weights below belong to the method learned; the decisions shown are by {method}.",
  feature: "feature", value: "value", median: "page's median", weight: "weight", rest: "other features", more: "Contribution of the network",
  kin: "The log-odds from forest and network are {own} for this block and {kin} on average for blocks with the same markup. Their mean, {settled}, gives the probability.",
  field: "Field", source: "Source", candidates: "Candidates", evidence: "Evidence",
  agreement: "agreement", time: "time", show: "Show on the page", kept_blocks: "Kept blocks, from the top of the page to its end",
  chart_length: "characters", chart_score: "score", chart_kept: "kept", chart_x_line: "line", chart_x_block: "block", threshold: "threshold",
  kind: "Page type", unknown: "unknown", entries: "Entries", no_entries: "No entries found; this may not be a list page.", title: "Title",
  teach_hint: "Mark blocks as content or not content on several pages of a site. Save each page, then train. Keys: + content, - not content, 0 clear.",
  mark: "This block is", content: "content", not_content: "not content", clear: "clear", save: "Save labels",
  train: "Train", labels: "{n} labels on this page, {s} unsaved", saved: "Saved.", site: "Sites", pages: "pages", before: "before", after: "after",
  wrong: "label errors", held_out: "Each page is judged by a model that has not seen it. F1 compares words with your labels.",
  one_page: "Label a second page to measure the model: each page is judged by a model that has not seen it.",
  trained: "Trained on {pages} pages with {labels} labels.", model: "Download the model", export: "Export all labels", forget: "Delete site",
  forget_sure: "Delete all labels and the model of {site}?", no_sites: "No site has labels yet.", no_address: "Site name",
  language: "中文", select_first: "Select a block on the page first.", try: "Send", answer: "Response", mixed: "mean",
  cut: "The page has too many blocks; only the first ones are shown.", rerun: "Show this page with the new model",
};
type Words = typeof EN;
const ZH: Words = {
  tagline: "提取任意网页的正文，并说明理由",
  address: "网址", start: "开始", file: "打开文件", paste: "粘贴 HTML", pasted: "提取粘贴的内容", working: "处理中…",
  method: "方法", favor: "偏向", balance: "均衡", precision: "精确", recall: "完整",
  site_model: "使用本站训练的模型", token: "令牌", api: "接口",
  page: "页面", text: "文本", markdown: "Markdown", html: "HTML", json: "JSON", metadata: "元数据", methods: "方法对比",
  density: "密度", list: "列表", teach: "训练", why: "理由",
  copy: "复制", copied: "已复制", nothing: "没有找到内容。",
  legend_low: "噪声", legend_high: "正文", legend_kept: "保留",
  hint: "输入网址、打开文件或粘贴 HTML，然后点击页面中的文本块，查看保留或舍弃的理由。",
  hint_block: "点击文本块，或用方向键移动。",
  summary: "保留 {words} / {all} 词，{blocks} 个文本块，{ms} 毫秒", confidence: "预期 F1 {f1}",
  kept: "保留", dropped: "舍弃", probability: "概率", score: "得分", words: "词数", link_density: "链接密度",
  why_forest: "理由：决策树所见", why_network: "理由：网络所见，含周围文本块",
  why_base: "本页文本块的平均对数几率为 {average}，此块为 {score}。绿色倾向正文，红色相反。",
  why_other: "特征权重来自学习方法；本页由 {method} 判定。",
  feature: "特征", value: "值", median: "页面中位数", weight: "权重", rest: "其余特征", more: "网络的贡献",
  kin: "决策树与网络合计 {own}，写法相同的文本块平均 {kin}；二者的均值 {settled} 给出概率。",
  field: "字段", source: "来源", candidates: "候选", evidence: "依据",
  agreement: "一致度", time: "耗时", show: "在页面上显示", kept_blocks: "保留的文本块（自上而下）",
  chart_length: "字符数", chart_score: "得分", chart_kept: "保留", chart_x_line: "行", chart_x_block: "块", threshold: "阈值",
  kind: "页面类型", unknown: "未知", entries: "条目", no_entries: "没有条目：不是列表页，或未找到。", title: "标题",
  teach_hint: "在同一网站的几个页面上标注文本块是否为正文，逐页保存，然后训练。按键：+ 正文，- 非正文，0 恢复。",
  mark: "此块是", content: "正文", not_content: "非正文", clear: "恢复", save: "保存本页标注",
  train: "训练", labels: "本页 {n} 个标注，{s} 个未保存", saved: "已保存。", site: "网站", pages: "页面", before: "训练前", after: "训练后",
  wrong: "错误标注", held_out: "每个页面由未见过它的模型评判；词级 F1，以您的标注为准。",
  one_page: "再标注一个页面即可得到指标：页面由未见过它的模型评判。",
  trained: "已用 {pages} 个页面、{labels} 个标注训练。", model: "下载模型", export: "导出全部标注", forget: "删除该网站",
  forget_sure: "删除 {site} 的全部标注和模型？", no_sites: "尚未训练。", no_address: "网站名称",
  language: "English", select_first: "请先在页面上选择一个文本块。", try: "发送", answer: "结果", mixed: "平均",
  cut: "页面的文本块多于所显示的数量。", rerun: "用新模型查看页面",
};
const LANGUAGE = "maintext-language";
const WORDS: { [language: string]: Words } = { en: EN, zh: ZH };

function chosen(): string {
  const stored = localStorage.getItem(LANGUAGE);
  return stored && stored in WORDS ? stored : navigator.language.startsWith("zh") ? "zh" : "en";
}

export let language = chosen();

export function switchLanguage() {
  language = language === "en" ? "zh" : "en";
  localStorage.setItem(LANGUAGE, language);
}

/** Returns a text in the current language, with its placeholders in braces filled in. */
export function t(key: keyof Words, values: { [name: string]: string | number } = {}): string {
  const text = (WORDS[language] ?? EN)[key];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}
