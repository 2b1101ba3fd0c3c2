//! Words of shops in many languages: labels of brands and numbers, statements of availability, texts of buttons.
use std::sync::LazyLock;

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Says {
    InStock,
    OutOfStock,
    PreOrder,
    /// A button that buys.
    Buy,
    /// The label of a brand, a number of the shop, of the maker, of the trade.
    Brand,
    Maker,
    Sku,
    /// A label that several kinds of numbers have: "Item no.", "Model".
    Model,
    Mpn,
    Gtin,
    /// A former price.
    Was,
    /// A price that is not the article's: a rate, a saving, the shipping.
    Other,
    /// The lowest of several prices.
    From,
}

const PHRASES: &[(Says, &str)] = &[
    (
        Says::InStock,
        "in stock|available now|available for|available online|in store only|instock|ready to ship|only|left in stock|\
        ships from|get it|auf lager|lieferbar|sofort lieferbar|vorrätig|verfügbar|nur noch|online verfügbar|en stock|\
        disponible|disponibile|disponibilità immediata|in magazzino|disponibilità|em stock|disponível|em estoque|\
        op voorraad|beschikbaar|på lager|i lager|finns i lager|varastossa|saatavilla|skladem|na sklade|skladom|\
        dostępny|dostępne|w magazynie|dostępność|na zalihi|na zalogi|dobavljivo|raktáron|készleten|în stoc|in stoc|\
        на складе|в наличии|есть в наличии|є в наявності|в наявності|в наличност|stokta|var|yra sandėlyje|\
        ir noliktavā|pieejams|laos olemas|laos|saadaval|σε απόθεμα|διαθέσιμο|άμεσα διαθέσιμο|במלאי|זמין במלאי|متوفر|\
        في المخزون|มีสินค้า|còn hàng|tersedia|在庫あり|有货|現貨|有貨|재고 있음|สินค้าพร้อมส่ง",
    ),
    (
        Says::OutOfStock,
        "out of stock|sold out|currently unavailable|unavailable|no longer available|not available|temporarily out|\
        notify me|email me when|item not available|sorry, this|this item is sold|ended|sold|ausverkauft|\
        nicht verfügbar|derzeit nicht|nicht auf lager|nicht lieferbar|momentan nicht|vergriffen|rupture de stock|\
        en rupture|épuisé|indisponible|actuellement indisponible|non disponibile|esaurito|attualmente non disponibile|\
        agotado|sin stock|no disponible|esgotado|indisponível|sem estoque|uitverkocht|niet op voorraad|niet leverbaar|\
        udsolgt|slutsåld|slut i lager|utsolgt|ikke på lager|loppuunmyyty|ei saatavilla|loppu|vyprodáno|není skladem|\
        nedostupné|vypredané|nie je skladom|nie je na sklade|momentálne nedostupné|niedostępny|brak w magazynie|\
        wyprzedany|produkt niedostępny|rasprodano|nije dostupno|ni na zalogi|razprodano|elfogyott|nincs raktáron|\
        stoc epuizat|indisponibil|нет в наличии|нет на складе|распродано|закончился|немає в наявності|изчерпан|\
        tükendi|stokta yok|išparduota|izpārdots|nav pieejams|laost otsas|läbi müüdud|otsas|tühi|εξαντλήθηκε|\
        μη διαθέσιμο|אזל מהמלאי|לא במלאי|אינו במלאי|המוצר אינו|غير متوفر|نفذت الكمية|สินค้าหมด|hết hàng|stok habis|\
        habis terjual|在庫切れ|売り切れ|品切れ|缺货|售罄|缺貨|售完|완売|품절|매진|已售完",
    ),
    (
        Says::PreOrder,
        "pre-order|preorder|vorbestell|précommande|preordina|reserva ahora|předobjedn|предзаказ|予約|预购|預購",
    ),
    (
        Says::Buy,
        "add to cart|add to basket|add to bag|add to shopping bag|add to trolley|add to order|buy now|buy it now|\
        place bid|order now|buy tickets|shop now|checkout|add to my bag|make offer|contact seller|start order|\
        in den warenkorb|in den einkaufswagen|jetzt kaufen|kaufen|in den korb|bestellen|ajouter au panier|acheter|\
        ajouter|aggiungi al carrello|acquista|compra ora|añadir al carrito|agregar al carrito|comprar|comprar ahora|\
        añadir a la cesta|agregar a la bolsa|adicionar ao carrinho|adicionar|in winkelwagen|in winkelmand|læg i kurv|\
        lägg i varukorg|köp|kjøp|legg i handlekurv|lisää ostoskoriin|lisää koriin|osta|do košíku|vložit do košíku|\
        koupit|do košíka|vložiť do košíka|kúpiť|do koszyka|dodaj do koszyka|kup teraz|u košaricu|dodaj u košaricu|\
        v košarico|dodaj v košarico|kosárba|kosárba teszem|adaugă în coş|adauga in cos|adaugă în coș|cumpără|\
        в корзину|добавить в корзину|купить|до кошика|купити|в количката|купи|sepete ekle|satın al|į krepšelį|\
        ielikt grozā|pirkt|grozā|ostukorvi|lisa ostukorvi|προσθήκη στο καλάθι|στο καλάθι|αγορά|הוסף לסל|הוספה לסל|\
        קנה עכשיו|أضف إلى السلة|أضف للسلة|أضيفي|اضف الى الحقيبة|ใส่ตะกร้า|ซื้อเลย|หยิบใส่|mua ngay|thêm vào giỏ|\
        beli sekarang|カートに入れる|カートに|今すぐ購入|加入购物车|立即购买|加入購物車|放入購物車|立即購買|我要購買|장바구니|구매하기|바로구매",
    ),
    (
        Says::Brand,
        "brand|brand name|marke|marque|marca|marca/fabricante|merk|märke|varemerke|mærke|merkki|tuotemerkki|značka|\
        znacka|marka|brend|blagovna znamka|márka|бренд|торговая марка|марка|prekės ženklas|zīmols|kaubamärk|\
        tootja kaubamärk|μάρκα|מותג|العلامة التجارية|الماركة|ماركة|แบรนด์|thương hiệu|merek|ブランド|品牌|브랜드",
    ),
    (
        Says::Maker,
        "manufacturer|make|make and model|make / manufacturer|vendor|hersteller|fabricant|fabricante|produttore|\
        fornitore|fabrikant|tillverkare|producent|valmistaja|výrobce|výrobca|producator|producător|proizvođač|\
        proizvajalec|gyártó|производитель|изготовитель|виробник|üretici|gamintojas|ražotājs|tootja|κατασκευαστής|יצרן|\
        الشركة المصنعة|nhà sản xuất|メーカー|厂商|廠牌|制造商|제조사",
    ),
    (
        Says::Sku,
        "sku|item no|item number|item #|item code|article no|article number|art. no|art.no|art no|product code|\
        product id|product no|product number|catalogue number|catalog number|catalog no|cat. no|stock code|\
        stock number|stock no|web id|web code|reference|ref|ref.|ref no|post id|ad id|ad no|listing id|\
        ebay item number|asin|item id|art.-nr|artikel-nr|artikelnr|artikelnummer|art-nr|art. nr|art.nr|bestellnummer|\
        best.-nr|bestell-nr|produktnummer|anzeigen-id|anzeigennummer|anzeige|référence|réf|réf.|référence produit|\
        numéro d'article|code article|codice|codice articolo|codice prodotto|cod|cod.|cod. art|cod. prodotto|\
        riferimento|codice univoco|referencia|código|código de producto|código del producto|código do produto|\
        referência|artikelcode|bestelnummer|varenr|varenummer|artikkelnr|tuotenumero|tuotekoodi|kód|kód produktu|\
        kód tovaru|kód zboží|katalogové číslo|číslo produktu|objednací číslo|objednávacie číslo|kod produktu|\
        numer katalogowy|nr ref|nr art|indeks|šifra|šifra artikla|šifra izdelka|cikkszám|termékkód|cod produs|артикул|\
        код товара|код товару|код продукта|код|арт|арт.|номер объявления|ürün kodu|stok kodu|prekės kodas|preces kods|\
        artikula kods|artikuls|tootekood|κωδικός|κωδικός προϊόντος|מק\"ט|מקט|קוד מוצר|رمز المنتج|رقم المنتج|رمز|الرمز|\
        รหัสสินค้า|mã sản phẩm|mã hàng|kode produk|商品番号|商品コード|品番|商品编号|商品編號|商品代碼|상품번호|상품코드",
    ),
    (
        Says::Model,
        "model|model no|model no.|model number|item model number|model name|modell|modellnummer|modelo|modelo n|\
        modello|numero modello|numero modello articolo|modèle|numéro du modèle de l'article|\
        número de modelo del producto|numéro de modèle|modelnummer|modelnr|mallinumero|modell-nr|модель|модел|modelis|\
        mudel|דגם|الموديل|型番|型号|型號|모델명",
    ),
    (
        Says::Mpn,
        "mpn|manufacturer part number|mfr part|mfr. part|mfg part|mfr|part number|part no|part #|manufacturer number|\
        manufacturer code|manufacturer reference|herstellernummer|herstellerartikelnummer|hersteller-nr|herst.-nr|\
        hersteller artikelnummer|teilenummer|référence fabricant|référence constructeur|numéro de pièce|\
        numéro de pièce fabricant|codice produttore|codice del produttore|referenza|part number (pn)|part number oem|\
        número de pieza|ref. fabricante|referencia del fabricante|part nummer|kod producenta|kód výrobce|kód výrobcu|\
        výrobné číslo|gyártói cikkszám|код производителя|партномер|numero parte del produttore|numéro de la pièce|\
        номер модели|メーカー型番|style|style no|style number|style code",
    ),
    (
        Says::Gtin,
        "ean|ean code|ean-code|ean13|ean-13|ean/upc|gtin|gtin13|upc|upc code|isbn|isbn-13|isbn13|isbn 13|barcode|\
        bar code|strichcode|code-barres|code barre|código de barras|codice ean|codice a barre|codigo ean|kod ean|\
        ean kód|čiarový kód|čárový kód|kod kreskowy|vonalkód|штрихкод|штрих-код|ean koodi|jan|janコード|国際標準図書番号|條碼",
    ),
    (
        Says::Was,
        "was|rrp|msrp|list price|retail price|original price|regular price|reg.|old price|before|compare at|uvp|\
        unser alter preis|statt|bisher|früher|prix conseillé|au lieu de|prix barré|ancien prix|listino|\
        prezzo consigliato|prezzo di listino|prezzo originale|anziché|antes|precio anterior|pvp|p.v.p|pvpr|de:|de r$|\
        van|adviesprijs|vejl|førpris|ordinarie|ord. pris|ovh|norm|původní cena|běžná cena|pôvodná cena|bežná cena|\
        cena regularna|poprzednia cena|cena katalogowa|redovna cijena|redna cena|eredeti ár|preț vechi|prp|\
        старая цена|было|цена без скидки|eski fiyat|buvo|vecā cena|tavahind|tavaline hind|αρχική τιμή|מחיר קודם|\
        מחיר מחירון|السعر السابق|ราคาเดิม|定価|参考価格|原价|建議售價|原價|市價|市售價|정가|价格",
    ),
    (
        Says::Other,
        "starting price|start price|starting bid|opening bid|startpreis|mise à prix|\
        save|you save|saving|savings|discount|shipping|delivery|postage|p&p|per month|monthly|deposit|from only|tax|\
        vat|excl|ex vat|ex tax|ex. vat|without vat|netto|zzgl. mwst|hors taxe|hors taxes|sin iva|iva esclusa|sem iva|\
        excl. btw|exkl. moms|brez ddv|bez pdv|bez pvn|без ндс|km-ta|installments|instalments|over|orders over|spend|\
        free|sie sparen|ersparnis|sparen|versand|versandkosten|zzgl|monatlich|rate|raten|ab einem|économisez|\
        livraison|par mois|frais|mensualités|risparmi|spedizione|al mese|rate da|ahorra|ahorras|envío|cuotas|al mes|\
        economize|frete|parcelas|x de|ou|em até|envio|bespaar|verzending|verzendkosten|besparelse|fragt|frakt|spara|\
        toimitus|ušetříte|doprava|poštovné|bez dph|měsíčně|ušetríte|oszczędzasz|dostawa|rata|raty|rat|wysyłka|ušteda|\
        dostava|prihranek|szállítás|megtakarítás|livrare|economisești|скидка|доставка|экономия|в месяц|рассрочка|\
        знижка|kargo|taksit|piegāde|mēnesī|tarne|kuumakse|järelmaks|αποστολή|משלוח|דמי משלוח|شحن|توصيل|التوصيل|وفر|\
        ส่วนลด|ค่าส่ง|送料|ポイント|税抜|运费|運費|每期|折價|現折|배송비|할인|적립",
    ),
    (
        Says::From,
        "from|starting at|as low as|ab|à partir de|a partire da|desde|a partir de|vanaf|fra|från|alkaen|od|již od|\
        už od|już od|tól|începând|de la|от|від|nuo|no|alates|από|החל מ|最低|起",
    ),
];

/// The phrases by the slot of their first two bytes.
type Index = Vec<Vec<(Says, &'static str)>>;

/// Number of slots, a power of two.
const SLOTS: usize = 4096;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index: Index = vec![Vec::new(); SLOTS];
    for (says, list) in PHRASES {
        for text in list.split('|').map(str::trim).filter(|t| t.len() > 1) {
            index[slot(text.as_bytes())].push((*says, text));
        }
    }
    // Longer phrases first, so that "not available" comes before "not".
    for list in &mut index {
        list.sort_by_key(|p| std::cmp::Reverse(p.1.len()));
    }
    index
});

/// Returns the slot of a text by its first two bytes. No phrase is shorter.
fn slot(text: &[u8]) -> usize {
    match text {
        [a, b, ..] => (usize::from(*a) << 5 ^ usize::from(*b)) & (SLOTS - 1),
        _ => 0,
    }
}

/// Whether a character belongs to a script that writes words without spaces.
fn is_unspaced(c: char) -> bool {
    c >= '\u{2e80}' || ('\u{e00}'..='\u{eff}').contains(&c)
}

/// Returns the longest phrases at the start of a text in lower case, one for each thing said, with their lengths in bytes.
pub(super) fn at_start(lower: &str) -> Vec<(Says, usize)> {
    start_of(&INDEX, lower)
}

fn start_of(index: &Index, lower: &str) -> Vec<(Says, usize)> {
    let mut out: Vec<(Says, usize)> = Vec::new();
    for (says, text) in &index[slot(lower.as_bytes())] {
        if !lower.starts_with(text) || out.iter().any(|o| o.0 == *says) {
            continue;
        }
        let last = text.chars().next_back().unwrap_or(' ');
        let ends = is_unspaced(last)
            || !last.is_alphanumeric()
            || !lower[text.len()..].chars().next().is_some_and(char::is_alphanumeric);
        if ends {
            out.push((*says, text.len()));
        }
    }
    out
}

/// Returns what a short text in lower case says anywhere, with the place of each phrase.
pub(super) fn within(lower: &str, mut each: impl FnMut(Says, usize)) {
    let index = &*INDEX;
    let mut before = ' ';
    for (at, c) in lower.char_indices() {
        if !before.is_alphanumeric() || is_unspaced(c) {
            for (says, _) in start_of(index, &lower[at..]) {
                each(says, at);
            }
        }
        before = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words() {
        assert_eq!(at_start("brand: acme"), [(Says::Brand, 5)]);
        assert_eq!(at_start("brandy"), []);
        assert!(at_start("art.-nr. 12").contains(&(Says::Sku, 7)));
        assert_eq!(at_start("品牌：華碩")[0].0, Says::Brand);
        let mut said = Vec::new();
        within("this item is currently unavailable", |s, _| said.push(s));
        assert!(said.contains(&Says::OutOfStock) && !said.contains(&Says::InStock), "{said:?}");
    }
}
