//! The fields of each type: their names, the properties of schema.org that state them, and the form of their values.
use FieldForm::{
    All, Count, Currency, Date, Duration, IngredientGroups, Ingredients, Link, Links, Name, Names, Number, One, Remote,
    Sections, Steps, Text, Texts, Word,
};
use maintext_page::lexicon::lexicon;

/// The form of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldForm {
    /// A text.
    Text,
    /// Several texts.
    Texts,
    /// Ingredients, in a flat list.
    Ingredients,
    /// Ingredients in named groups.
    IngredientGroups,
    /// Steps, in a flat list with the names of sections.
    Steps,
    /// Steps in named sections.
    Sections,
    /// The name of an object, or a text.
    Name,
    /// Several names.
    Names,
    /// An address.
    Link,
    /// Several addresses.
    Links,
    /// A date, with time and zone if they are stated.
    Date,
    /// A duration.
    Duration,
    /// A decimal number, as a text: a price, a rating, a coordinate.
    Number,
    /// A currency, as its code in ISO 4217.
    Currency,
    /// Whether work is done at home.
    Remote,
    /// A count.
    Count,
    /// A word of an enumeration: `InStock`.
    Word,
    /// An object.
    One(&'static [Field]),
    /// Several objects.
    All(&'static [Field]),
}

/// A field of a type.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in a [`Thing`](super::Thing).
    pub name: &'static str,
    /// The properties that state it, the best first; a dot leads into an object.
    pub properties: &'static [&'static str],
    /// How the value is read.
    pub read: FieldForm,
}

impl Field {
    /// Returns the fields of the objects that it holds.
    pub fn inner(&self) -> &'static [Field] {
        match self.read {
            FieldForm::One(fields) | FieldForm::All(fields) => fields,
            _ => &[],
        }
    }
}

const fn field(name: &'static str, properties: &'static [&'static str], read: FieldForm) -> Field {
    Field { name, properties, read }
}

/// The fields of a type of things.
#[derive(Debug)]
pub struct ThingKind {
    /// Its name.
    pub name: &'static str,
    /// The types of schema.org that are read as this type.
    pub kinds: &'static [&'static str],
    /// The fields in the order of the output.
    pub fields: &'static [Field],
}

/// The types of things.
pub const KINDS: &[ThingKind] = &[
    ThingKind {
        name: "Product",
        kinds: &["Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts", "Vehicle", "Car"],
        fields: PRODUCT,
    },
    ThingKind { name: "Recipe", kinds: &["Recipe"], fields: RECIPE },
    ThingKind { name: "Event", kinds: lexicon!("event-types.txt"), fields: EVENT },
    ThingKind { name: "JobPosting", kinds: &["JobPosting"], fields: JOB },
    ThingKind { name: "FAQPage", kinds: &["FAQPage"], fields: FAQ },
    ThingKind { name: "Question", kinds: &["Question"], fields: QUESTION },
    ThingKind { name: "VideoObject", kinds: &["VideoObject"], fields: MEDIA },
    ThingKind { name: "PodcastEpisode", kinds: &["PodcastEpisode", "RadioEpisode"], fields: MEDIA },
    ThingKind {
        name: "Review",
        kinds: &["Review", "CriticReview", "UserReview", "EmployerReview", "ClaimReview", "MediaReview"],
        fields: REVIEW,
    },
    ThingKind { name: "Dataset", kinds: &["Dataset"], fields: DATASET },
    ThingKind {
        name: "SoftwareApplication",
        kinds: &["SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame"],
        fields: SOFTWARE,
    },
    ThingKind { name: "Course", kinds: &["Course"], fields: COURSE },
    ThingKind { name: "Book", kinds: &["Book", "Audiobook"], fields: BOOK },
    ThingKind { name: "Movie", kinds: &["Movie", "TVSeries"], fields: MOVIE },
    ThingKind { name: "Person", kinds: &["Person"], fields: PERSON },
    ThingKind { name: "LocalBusiness", kinds: lexicon!("business-types.txt"), fields: BUSINESS },
    ThingKind { name: "Organization", kinds: lexicon!("organization-types.txt"), fields: ORGANIZATION },
];

const RATING: &[Field] = &[
    field("value", &["ratingValue"], Number),
    field("best", &["bestRating"], Number),
    field("worst", &["worstRating"], Number),
];

const OFFER: &[Field] = &[
    field("price", &["price", "lowPrice", "priceSpecification.price", "offers.price"], Number),
    field("high_price", &["highPrice"], Number),
    field("currency", &["priceCurrency", "priceSpecification.priceCurrency", "offers.priceCurrency"], Currency),
    field("availability", &["availability", "offers.availability"], Word),
    field("condition", &["itemCondition"], Word),
    field("list_price", &["listPrice"], Number),
    field("seller", &["seller", "offeredBy"], Name),
    field("valid_until", &["priceValidUntil", "validThrough"], Date),
    field("url", &["url"], Link),
];

const REVIEW: &[Field] = &[
    field("name", &["name", "headline"], Text),
    field("author", &["author", "creator"], Name),
    field("date", &["datePublished", "dateCreated"], Date),
    field("item", &["itemReviewed"], Name),
    field("rating", &["reviewRating"], One(RATING)),
    field("text", &["reviewBody", "description", "text"], Text),
    field("claim", &["claimReviewed"], Text),
    field("url", &["url"], Link),
];

const PROPERTY: &[Field] = &[field("name", &["name", "propertyID"], Text), field("value", &["value"], Text)];

const PRODUCT: &[Field] = &[
    field("name", &["name"], Text),
    field("brand", &["brand", "manufacturer"], Name),
    field("sku", &["sku", "offers.sku"], Text),
    field("mpn", &["mpn", "offers.mpn"], Text),
    field("gtin", &["gtin", "gtin13", "gtin14", "gtin12", "gtin8", "isbn", "offers.gtin", "offers.gtin13"], Text),
    field("id", &["productID", "identifier"], Text),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("breadcrumb", &[], Texts),
    field("category", &["category"], Name),
    field("color", &["color"], Text),
    field("material", &["material"], Text),
    field("offers", &["offers"], All(OFFER)),
    field("variants", &["hasVariant"], All(VARIANT)),
    field("properties", &["additionalProperty"], All(PROPERTY)),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("reviews", &["review", "reviews"], All(REVIEW)),
    field("url", &["url"], Link),
];

const VARIANT: &[Field] = &[
    field("name", &["name"], Text),
    field("sku", &["sku"], Text),
    field("mpn", &["mpn"], Text),
    field("gtin", &["gtin", "gtin13", "gtin14", "gtin12", "gtin8"], Text),
    field("color", &["color"], Text),
    field("size", &["size"], Name),
    field("images", &["image"], Links),
    field("offers", &["offers"], All(OFFER)),
    field("url", &["url"], Link),
];

const NUTRITION: &[Field] = &[
    field("calories", &["calories"], Text),
    field("serving_size", &["servingSize"], Text),
    field("fat", &["fatContent"], Text),
    field("saturated_fat", &["saturatedFatContent"], Text),
    field("carbohydrates", &["carbohydrateContent"], Text),
    field("sugar", &["sugarContent"], Text),
    field("fiber", &["fiberContent"], Text),
    field("protein", &["proteinContent"], Text),
    field("sodium", &["sodiumContent"], Text),
    field("cholesterol", &["cholesterolContent"], Text),
];

/// Properties of schema.org, of its past, of other vocabularies, and as pages misspell them.
const INGREDIENTS: &[&str] = &["recipeIngredient", "ingredients", "ingredient", "recipeIngredients"];
const INSTRUCTIONS: &[&str] = &["recipeInstructions", "RecipeInstructions", "instructions", "recipeInstruction"];

const RECIPE: &[Field] = &[
    field("name", &["name", "headline"], Text),
    field("author", &["author", "creator"], Names),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("yield", &["recipeYield", "yield"], Text),
    field("prep_time", &["prepTime"], Duration),
    field("cook_time", &["cookTime", "performTime"], Duration),
    field("total_time", &["totalTime"], Duration),
    field("ingredients", INGREDIENTS, Ingredients),
    field("ingredient_groups", INGREDIENTS, IngredientGroups),
    field("instructions", INSTRUCTIONS, Steps),
    field("sections", INSTRUCTIONS, Sections),
    field("nutrition", &["nutrition"], One(NUTRITION)),
    field("category", &["recipeCategory"], Texts),
    field("cuisine", &["recipeCuisine"], Texts),
    field("keywords", &["keywords"], Texts),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("date", &["datePublished"], Date),
    field("video", &["video"], One(MEDIA)),
    field("url", &["url"], Link),
];

const ADDRESS: &[Field] = &[
    field("street", &["streetAddress"], Text),
    field("locality", &["addressLocality"], Text),
    field("region", &["addressRegion"], Text),
    field("postal_code", &["postalCode"], Text),
    field("country", &["addressCountry"], Name),
];

const PLACE: &[Field] = &[
    field("name", &["name"], Text),
    field("address", &["address"], One(ADDRESS)),
    field("latitude", &["geo.latitude", "latitude"], Number),
    field("longitude", &["geo.longitude", "longitude"], Number),
    field("url", &["url"], Link),
];

const EVENT: &[Field] = &[
    field("name", &["name", "summary"], Text),
    field("start", &["startDate"], Date),
    field("end", &["endDate"], Date),
    field("status", &["eventStatus"], Word),
    field("attendance", &["eventAttendanceMode"], Word),
    field("place", &["location"], One(PLACE)),
    field("organizer", &["organizer"], Name),
    field("performers", &["performer", "performers"], Names),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("offers", &["offers"], All(OFFER)),
    field("url", &["url"], Link),
];

const SALARY: &[Field] = &[
    field("currency", &["currency", "value.currency"], Currency),
    field("min", &["value.minValue", "minValue", "value.value", "value"], Number),
    field("max", &["value.maxValue", "maxValue"], Number),
    field("unit", &["value.unitText", "unitText"], Text),
];

const JOB: &[Field] = &[
    field("title", &["title", "name"], Text),
    field("organization", &["hiringOrganization"], Name),
    field("place", &["jobLocation"], All(PLACE)),
    field("remote", &["jobLocationType"], Remote),
    field("applicant_places", &["applicantLocationRequirements"], Names),
    field("employment_type", &["employmentType"], Texts),
    field("salary", &["baseSalary", "estimatedSalary"], One(SALARY)),
    field("date", &["datePosted"], Date),
    field("valid_until", &["validThrough"], Date),
    field("id", &["identifier.value", "identifier"], Text),
    field("industry", &["industry"], Texts),
    field("description", &["description", "responsibilities"], Text),
    field("url", &["url"], Link),
];

const ANSWER: &[Field] = &[
    field("text", &["text", "articleBody", "description", "name"], Text),
    field("author", &["author"], Name),
    field("date", &["dateCreated", "datePublished"], Date),
    field("votes", &["upvoteCount"], Count),
    field("url", &["url"], Link),
];

const QUESTION: &[Field] = &[
    field("name", &["name"], Text),
    field("text", &["text", "articleBody"], Text),
    field("author", &["author"], Name),
    field("date", &["dateCreated", "datePublished"], Date),
    field("votes", &["upvoteCount"], Count),
    field("answer_count", &["answerCount"], Count),
    field("accepted_answer", &["acceptedAnswer"], One(ANSWER)),
    field("answers", &["suggestedAnswer"], All(ANSWER)),
    field("url", &["url"], Link),
];

const FAQ: &[Field] = &[field("name", &["name", "headline"], Text), field("questions", &["mainEntity"], All(QUESTION))];

const MEDIA: &[Field] = &[
    field("name", &["name", "headline"], Text),
    field("author", &["author", "creator", "byArtist"], Names),
    field("date", &["uploadDate", "datePublished", "dateCreated"], Date),
    field("duration", &["duration", "timeRequired"], Duration),
    field("description", &["description"], Text),
    field("images", &["thumbnailUrl", "thumbnail", "image"], Links),
    field("embed", &["embedUrl", "embedURL"], Link),
    field("media", &["contentUrl", "contentURL", "associatedMedia.contentUrl", "audio.contentUrl"], Link),
    field("series", &["partOfSeries"], Name),
    field("episode", &["episodeNumber"], Count),
    field("transcript", &["transcript"], Text),
    field("url", &["url"], Link),
];

const DATASET: &[Field] = &[
    field("name", &["name"], Text),
    field("description", &["description"], Text),
    field("author", &["creator", "author"], Names),
    field("publisher", &["publisher"], Name),
    field("date", &["datePublished", "dateCreated"], Date),
    field("date_modified", &["dateModified"], Date),
    field("license", &["license"], Text),
    field("keywords", &["keywords"], Texts),
    field("id", &["identifier"], Text),
    field("downloads", &["distribution.contentUrl"], Links),
    field("url", &["url"], Link),
];

const SOFTWARE: &[Field] = &[
    field("name", &["name"], Text),
    field("description", &["description"], Text),
    field("author", &["author", "creator", "publisher"], Names),
    field("category", &["applicationCategory"], Text),
    field("operating_system", &["operatingSystem"], Text),
    field("version", &["softwareVersion"], Text),
    field("images", &["screenshot", "image"], Links),
    field("offers", &["offers"], All(OFFER)),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("url", &["url", "downloadUrl"], Link),
];

const COURSE: &[Field] = &[
    field("name", &["name"], Text),
    field("description", &["description"], Text),
    field("provider", &["provider"], Name),
    field("id", &["courseCode"], Text),
    field("language", &["inLanguage"], Text),
    field("offers", &["offers"], All(OFFER)),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("images", &["image"], Links),
    field("url", &["url"], Link),
];

const BOOK: &[Field] = &[
    field("name", &["name"], Text),
    field("author", &["author"], Names),
    field("isbn", &["isbn", "workExample.isbn"], Text),
    field("publisher", &["publisher"], Name),
    field("date", &["datePublished"], Date),
    field("language", &["inLanguage"], Text),
    field("pages", &["numberOfPages"], Count),
    field("format", &["bookFormat"], Word),
    field("genre", &["genre"], Texts),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("offers", &["offers"], All(OFFER)),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("url", &["url"], Link),
];

const MOVIE: &[Field] = &[
    field("name", &["name"], Text),
    field("date", &["datePublished", "dateCreated", "releasedEvent.startDate"], Date),
    field("duration", &["duration"], Duration),
    field("director", &["director", "directors"], Names),
    field("actors", &["actor", "actors"], Names),
    field("genre", &["genre"], Texts),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("url", &["url"], Link),
];

const PERSON: &[Field] = &[
    field("name", &["name"], Text),
    field("job_title", &["jobTitle"], Text),
    field("organization", &["worksFor", "affiliation"], Name),
    field("description", &["description"], Text),
    field("images", &["image"], Links),
    field("email", &["email"], Text),
    field("telephone", &["telephone"], Text),
    field("same_as", &["sameAs"], Links),
    field("url", &["url"], Link),
];

const ORGANIZATION: &[Field] = &[
    field("name", &["name", "legalName"], Text),
    field("description", &["description"], Text),
    field("images", &["logo", "image"], Links),
    field("address", &["address"], One(ADDRESS)),
    field("email", &["email"], Text),
    field("telephone", &["telephone"], Text),
    field("same_as", &["sameAs"], Links),
    field("url", &["url"], Link),
];

const BUSINESS: &[Field] = &[
    field("name", &["name", "legalName"], Text),
    field("description", &["description"], Text),
    field("images", &["image", "logo"], Links),
    field("address", &["address"], One(ADDRESS)),
    field("latitude", &["geo.latitude"], Number),
    field("longitude", &["geo.longitude"], Number),
    field("telephone", &["telephone"], Text),
    field("email", &["email"], Text),
    field("opening_hours", &["openingHours"], Texts),
    field("price_range", &["priceRange"], Text),
    field("cuisine", &["servesCuisine"], Texts),
    field("rating", &["aggregateRating"], One(RATING)),
    field("review_count", &["aggregateRating.reviewCount", "aggregateRating.ratingCount"], Count),
    field("reviews", &["review", "reviews"], All(REVIEW)),
    field("same_as", &["sameAs"], Links),
    field("url", &["url"], Link),
];
