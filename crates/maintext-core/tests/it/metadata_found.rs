//! Wrong values that users met, on pages of our own writing; each test is named after the correct behaviour.
use maintext_core::{Metadata, Options, extract};

const STORY: &str = "<p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted and the sun came out.</p>
    <p>By noon we had seen two herons, a fox, and the first swallows of the year. The innkeeper asked us where we had been.</p>
    <p>The way back took longer than the way out, since the upper path had been washed away in March and was still closed.</p>";
const CHINESE: &str = "<p>清晨的山路上几乎没有行人，薄雾笼罩着整个山谷，只有远处传来几声鸟鸣。我们沿着溪水慢慢向上走，谁也不愿先开口。</p>
    <p>到了中午，太阳终于从云层里露了出来，山坡上的野花开得正好，路边的小店老板热情地招呼我们坐下喝茶。</p>
    <p>下山的路比上山更难走，因为三月的大雨冲毁了一段栈道，至今仍未修好，我们只能绕行到另一侧的村庄。</p>";

fn at(url: &str, html: &str) -> Metadata {
    extract(html, &Options { url: Some(url.into()), ..Options::default() }).unwrap().metadata
}

fn read(head: &str, body: &str) -> Metadata {
    at("https://www.example.org/news/a-walk", &format!("<html><head>{head}</head><body>{body}</body></html>"))
}

fn chinese(head: &str, before: &str, after: &str) -> Metadata {
    let html = format!(
        "<html lang=zh><head><title>山间一日_示例新闻网</title>{head}</head><body><div class=top><a href=/>示例新闻网</a> <a href=/news>新闻</a></div>
        <div class=main><h1>山间一日</h1>{before}<div class=content>{CHINESE}{after}</div></div>
        <div class=footer>版权所有 示例新闻网</div></body></html>"
    );
    at("https://news.example.cn/202405/t1.html", &html)
}

#[test]
fn a_disclaimer_is_not_an_author() {
    let notice =
        "<p>责任编辑：</p><p>平台声明：该文观点仅代表作者本人，示例号系信息发布平台，仅提供信息存储空间服务。</p>";
    let m = chinese("", "<div class=info><span>2024-05-13 06:15</span> 发布于：<span>北京市</span></div>", notice);
    assert_eq!(m.authors, [""; 0]);
    assert_eq!(m.date.as_deref().and_then(|d| d.get(..10)), Some("2024-05-13"));
}

#[test]
fn a_link_of_the_interface_is_not_an_author() {
    let body = format!(
        "<main><p class=byline-link><a class=name href=/dogs>Back to Available Dogs</a></p><h1>Rufus</h1>{STORY}</main>"
    );
    let m = read("<title>Rufus | The Example Shelter</title>", &body);
    assert_eq!(m.authors, [""; 0]);
}

#[test]
fn quotation_marks_are_not_part_of_a_name() {
    let m = read(
        "<title>A walk in the hills</title><meta name=author content='\"Jane Doe\"'>",
        &format!("<article><h1>A walk in the hills</h1>{STORY}</article>"),
    );
    assert_eq!(m.authors, ["Jane Doe"]);
}

#[test]
fn a_place_after_the_byline_is_not_a_second_author() {
    for byline in ["By Jane Doe, BERLIN", "By Jane Doe | Berlin", "By Jane Doe in Berlin"] {
        let body = format!("<article><h1>A walk in the hills</h1><p class=byline>{byline}</p>{STORY}</article>");
        assert_eq!(read("<title>A walk in the hills</title>", &body).authors, ["Jane Doe"], "{byline}");
    }
}

#[test]
fn a_copyright_notice_is_not_the_name_of_the_site() {
    let body = format!("<article><h1>A walk in the hills</h1>{STORY}</article>");
    for notice in ["Copyright © 2017 The Daily Example. All rights reserved.", "© 2017-2024 The Daily Example"] {
        for name in ["copyright", "application-name"] {
            let head = format!("<title>A walk in the hills</title><meta name={name} content='{notice}'>");
            assert_eq!(read(&head, &body).sitename.as_deref(), Some("The Daily Example"), "{name} {notice}");
        }
    }
    let head = "<title>A walk in the hills</title><meta name=copyright content='Copyright © 2017'>";
    assert_eq!(read(head, &body).sitename.as_deref(), Some("example.org"));
}

#[test]
fn buttons_in_a_heading_are_not_part_of_the_title() {
    let body = format!(
        "<main><div class=main-heading><h1>Module <span>walks</span> <button id=copy-path title='Copy item path to clipboard'>Copy item path</button></h1>
        <a class=src href=../src/lib.rs.html>Source</a></div>{STORY}</main>"
    );
    let head = "<title>hills::walks - Rust</title>";
    let m = at(
        "https://docs.example.org/hills/walks/index.html",
        &format!("<html lang=en><head>{head}</head><body>{body}"),
    );
    assert_eq!(m.title.as_deref(), Some("Module walks"));
    // A heading that is wholly a button keeps its text.
    let m = read("", &format!("<article><h1><button>A walk in the hills</button></h1>{STORY}</article>"));
    assert_eq!(m.title.as_deref(), Some("A walk in the hills"));
}

#[test]
fn the_name_of_a_page_outranks_home_and_calendar() {
    let menu = "<header><nav><ul><li><a href=/>Home</a><li><a href=/walks>Walks</a></ul></nav></header>";
    let body = format!("{menu}<main><h2>The Hill Walkers of Exampleton</h2>{STORY}</main>");
    let m = at(
        "https://walkers.example.org/",
        &format!("<html lang=en><head><title>Home | The Hill Walkers of Exampleton</title></head><body>{body}"),
    );
    assert_eq!(m.title.as_deref(), Some("The Hill Walkers of Exampleton"));
    let body = format!("{menu}<h1>Calendar</h1><main><h2>Spring walk to the upper path</h2>{STORY}</main>");
    let head = "<title>Spring walk to the upper path - The Hill Walkers</title><meta property=og:title content='Spring walk to the upper path'>";
    let m = at(
        "https://walkers.example.org/calendar/spring-walk-to-the-upper-path",
        &format!("<html lang=en><head>{head}</head><body>{body}"),
    );
    assert_eq!(m.title.as_deref(), Some("Spring walk to the upper path"));
}

#[test]
fn the_chapters_title_outranks_the_books() {
    let body = format!(
        "<nav id=sidebar class=sidebar><ol class=chapter><li><a href=intro.html>Introduction</a><li><a href=fog.html>Walking in fog</a></ol></nav>
        <div id=menu-bar class=menu-bar><button>Toggle</button><h1 class=menu-title>The Hill Walker's Handbook</h1></div>
        <div id=content class=content><main><h1 id=walking-in-fog><a class=header href=#walking-in-fog>Walking in fog</a></h1>{STORY}</main></div>"
    );
    let head = "<title>Walking in fog - The Hill Walker's Handbook</title>";
    let m = at("https://docs.example.org/handbook/fog.html", &format!("<html lang=en><head>{head}</head><body>{body}"));
    assert_eq!(m.title.as_deref(), Some("Walking in fog"));
}

#[test]
fn a_logo_or_a_button_is_not_the_lead_image() {
    let og = |url: &str| {
        format!("<title>A walk in the hills</title><meta property=og:image content=https://example.org/{url}>")
    };
    let body = format!("<article><h1>A walk in the hills</h1><button><img src=/press.png></button>{STORY}</article>");
    for url in ["site-logo.png", "share-button.png"] {
        assert_eq!(read(&og(url), &body).image, None, "{url}");
    }
    let body = format!("<article><h1>A walk in the hills</h1><img src=/fog.jpg width=900 height=600>{STORY}</article>");
    let image = read(&og("site-logo.png"), &body).image;
    assert_eq!(image.as_deref(), Some("https://www.example.org/fog.jpg"));
}

#[test]
fn chinese_reporters_and_writers_are_found() {
    let info = |by: &str| {
        format!("<div class=info><span>2024-05-13 06:15</span> <span>来源：示例新闻网</span> <span>{by}</span></div>")
    };
    for (before, after, names) in [
        (info("记者 张三"), "", &["张三"][..]),
        (info("本报记者 李小四"), "", &["李小四"]),
        (info("作者：王小五"), "", &["王小五"]),
        (info("记者 张三 李小四"), "", &["张三", "李小四"]),
        (info(""), "<p>（作者：李小四，系示例大学教授）</p>", &["李小四"]),
        (info(""), "<p>文/王小五 编辑/赵六一</p>", &["王小五"]),
        (info(""), "<p>撰文：王小五</p>", &["王小五"]),
        (info(""), "<p>本报记者 李小四</p><p>责任编辑：赵六一</p>", &["李小四"]),
    ] {
        assert_eq!(chinese("", &before, after).authors, names, "{before} {after}");
    }
}

#[test]
fn the_reporters_of_a_place_line_are_found() {
    let line =
        "<p>示例社北京5月13日电（记者张三、李小四）今年春天，山路上的花开得很早，前来登山的人也比往年多了不少。</p>";
    let before = format!("<div class=info><span>2024-05-13 06:15</span> <span>来源：示例社</span></div>{line}");
    assert_eq!(chinese("", &before, "").authors, ["张三", "李小四"]);
}

#[test]
fn editors_and_agencies_are_not_authors() {
    let before = "<div class=info><span>2024-05-13 06:15</span> <span>来源：示例通讯社</span></div>";
    let m = chinese("", before, "<p>责任编辑：赵六一</p>");
    assert_eq!(m.authors, [""; 0]);
}

#[test]
fn japanese_and_korean_bylines_are_found() {
    let japanese = "<p>早朝の山道にはほとんど人影がなく、霧が谷をすっかり包んでいた。聞こえるのは遠くの鳥の声だけだった。</p>
        <p>昼になると雲の間から日が差し、斜面の花がいっせいに明るくなった。茶店の主人は私たちを見て手を振ってくれた。</p>
        <p>下りは上りよりも時間がかかった。三月の雨で桟道の一部が流され、まだ直っていなかったからである。</p>";
    let html = format!(
        "<html lang=ja><head><title>山の一日 | 例文新聞</title></head><body><header><a href=/>例文新聞</a></header>
        <article><h1>山の一日</h1><time datetime=2024-05-13>2024年5月13日</time>{japanese}<p>取材・文＝山田太郎</p></article></body></html>"
    );
    assert_eq!(at("https://www.example.jp/articles/1", &html).authors, ["山田太郎"]);
    let korean = "<p>이른 아침 산길에는 사람이 거의 없었고 안개가 골짜기를 가득 채우고 있었다. 멀리서 새소리만 들려왔다.</p>
        <p>정오가 되자 구름 사이로 해가 나왔고 비탈의 꽃들이 한꺼번에 환해졌다. 찻집 주인이 손을 흔들어 주었다.</p>
        <p>내려오는 길은 올라갈 때보다 오래 걸렸다. 삼월의 비로 다리 일부가 떠내려가 아직 고쳐지지 않았기 때문이다.</p>";
    let html = format!(
        "<html lang=ko><head><title>산에서 보낸 하루 - 예시일보</title></head><body><header><a href=/>예시일보</a></header>
        <article><h1>산에서 보낸 하루</h1><p class=date>입력 2024.05.13. 오전 6:15</p><p>[서울=예시일보] 홍길동 기자 = 산길이 다시 열렸다.</p>{korean}</article></body></html>"
    );
    assert_eq!(at("https://www.example.kr/news/1", &html).authors, ["홍길동"]);
}
